/** What surfaces may know of messages: how they look from outside. */
export type { Hydration } from '../../protocols/ac-mq/hydrate/hydrate.ts'
export type { AcmqView, AcmqViewWithBody } from '../../protocols/ac-mq/store/view.ts'
