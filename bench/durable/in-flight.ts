/** How many durable sends are under way at once. */
export const inFlight = 64
