// A neighbour that does nothing: what loading any extension costs.

export default function register(): void {}
