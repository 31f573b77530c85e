/** What surfaces may know of messages: how they look from outside. */
export type { AcmqView, AcmqViewWithBody } from '../../protocols/ac-mq/store/view.ts'
