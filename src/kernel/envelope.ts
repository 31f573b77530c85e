/** The protocol-neutral view of a message. Each protocol lifts its record into one and keeps the record beside it. */
export interface Envelope {
  readonly protocol: string
  readonly id: string
  readonly from: string
  readonly to: string
  /** The protocol's own word for where in its lifecycle the message is. */
  readonly state: string
  /** Where it is on the tree. */
  readonly path: string
  readonly summary: string
  /** ISO 8601, always UTC: when the message says it was sent; the time of its file if it does not say. */
  readonly createdAt: string
  /** The mission or workspace it belongs to, told by the neutral contract for protocols that have some. */
  readonly place?: string
}
