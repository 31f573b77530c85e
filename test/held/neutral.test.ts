/** The verbs for every agent on files: one process is paused before every step while another goes on. */
import { describeHeldOnFiles } from './on-files.ts'

// All steps are tried in memory, as verbs of the tree.
describeHeldOnFiles('The verbs for every agent', 'neutral', 2)
