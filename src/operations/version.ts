import { defineOperation } from './define.ts'

export const version = defineOperation({
  name: 'version',
  summary: 'Tell which version this is, and what it runs on.',
  input: {},
  outcomes: { told: 'done' },
  examples: [{ command: 'version --json', does: 'the same for programs' }],

  run: ({ about }) => ({ outcome: 'told', ...about }),
})
