/** For `npm test` in this folder alone; without it vitest would take the configuration of the repository. */
export default { test: { testTimeout: 300_000 } }
