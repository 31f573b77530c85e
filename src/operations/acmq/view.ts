/** What surfaces may know of messages: how they look from outside. */
export type { AcmqView, AcmqViewWithBody, Hydration } from '../../protocols/ac-mq/index.ts'
