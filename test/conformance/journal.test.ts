import { onEveryEngine } from './every-engine.ts'
import { describeJournal } from './journal.ts'

onEveryEngine('the journal', describeJournal)
