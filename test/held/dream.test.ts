/** Dream.OS on files: one process is paused before every step while another goes on. */
import { describeHeldOnFiles } from './on-files.ts'

describeHeldOnFiles('Dream.OS', 'dream')
