/** NATS JetStream: a work queue in files, every message acknowledged and the acknowledgement confirmed. */
import { load } from './load.ts'
import { type OpenPeer, queueName } from './queue.ts'

interface Message {
  string(): string
  ackAck(): Promise<unknown>
}
interface Messages extends AsyncIterable<Message> {
  close(): Promise<unknown>
}
interface Consumer {
  consume(): Promise<Messages>
}
interface JetStream {
  publish(subject: string, body: Uint8Array): Promise<unknown>
  consumers: { get(stream: string, consumer: string): Promise<Consumer> }
}
interface JetStreamManager {
  streams: { add(options: object): Promise<unknown> }
  consumers: { add(stream: string, options: object): Promise<unknown> }
}
interface Nats {
  connect(options: { servers: string }): Promise<{
    jetstream(): JetStream
    jetstreamManager(): Promise<JetStreamManager>
  }>
}

export const openNats: OpenPeer = async ({ packages, place }) => {
  const { connect } = await load<Nats>(packages, 'nats')
  const connection = await connect({ servers: place })
  const manager = await connection.jetstreamManager()
  await manager.streams.add({ name: queueName, subjects: [queueName], retention: 'workqueue', storage: 'file' })
  await manager.consumers.add(queueName, { durable_name: queueName, ack_policy: 'explicit' })
  const stream = connection.jetstream()
  const consumer = await stream.consumers.get(queueName, queueName)

  return {
    send: (body) => stream.publish(queueName, Buffer.from(body)),
    handle: async (count, workers, onMessage) => {
      const sources = await Promise.all(Array.from({ length: workers }, () => consumer.consume()))
      let left = count
      const work = async (messages: Messages) => {
        for await (const message of messages) {
          onMessage(message.string())
          await message.ackAck()
          // Close all sources to end the loops: after a `break` a source could not be closed.
          if (--left === 0) for (const source of sources) void source.close()
        }
      }
      await Promise.all(sources.map(work))
    },
    wait: async (onMessage) => {
      for await (const message of await consumer.consume()) {
        onMessage(message.string())
        await message.ackAck()
      }
    },
  }
}
