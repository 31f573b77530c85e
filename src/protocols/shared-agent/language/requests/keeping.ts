/** Checkpoints and rollback, and context files. */
import type { Request } from './request.ts'

const named =
  '[called|named|as|,|with name|with the name|by the name of|under the name|under|labelled|labeled|titled|tagged|and call it|and name it|for]'

export const keepingRequests: readonly Request[] = [
  {
    command: 'CHECKPOINT:create',
    with: { type: 'manual' },
    forms: [
      `CREATE [me|us] [a|an|the] [new|manual|quick] CHECKPOINT ${named} <name>`,
      `(checkpoint|snapshot) [this|everything|it|the files|all files|the work|our work] ${named} <name>`,
      '(i|we) (need|want|would like) [a|an] [new|manual] CHECKPOINT [called|named|for|,] <name>',
      '(keep|save|freeze|preserve) (the files|all files|our files|everything|our work|the work|the work tree|files|work) (as|in) [a|the] CHECKPOINT [called|named|,] <name>',
      '(keep|save|freeze|preserve) (the files|all files|our files|everything|our work|the work|files|work) as checkpoint <name>',
      '(back up|backup) (the files|our work|the work|everything|files|work) (as|under|named|called) <name>',
    ],
  },
  {
    command: 'CHECKPOINT:create',
    forms: [
      `CREATE [me|us] [a|an|the] [new] <type> CHECKPOINT ${named} <name>`,
      `CREATE [me|us] [a|an|the] CHECKPOINT of type <type> ${named} <name>`,
      `(mark|record|set|reach) [a|the] [new] <type> ${named} <name>`,
    ],
  },
  {
    command: 'CHECKPOINT:list',
    forms: [
      '(SHOW|CHECK) [me|us] [all|of] [of] [the|our|your|existing|available|known] [existing|available|known|saved] CHECKPOINTS [we have|there are|that exist]',
      '(what|which) CHECKPOINTS (are there|exist|do we have|have we made|are available|have been made|have we got|do you have|did we make|have we created|can we go back to|can i go back to)',
      'CHECKPOINTS',
      'are there [any] CHECKPOINTS',
      'do we have [any] CHECKPOINTS',
      '(what|where) can (we|i) (roll back|go back|revert|return) to',
      'how many CHECKPOINTS (are there|do we have|exist)',
    ],
  },
  {
    command: 'CHECKPOINT:diff',
    forms: [
      '(SHOW|CHECK|list|count) [me|us] [all|the] (changes|differences|diff|difference|what changed|what has changed|what is different|what is new|edits) [made|files] (since|from|after|against|to|with|relative to|compared to|compared with) [CHECKPOINT] <id>',
      'what (has changed|changed|is different|have we changed|did we change|changes were made|is new|was changed|did i change|have i changed|has been changed|happened|has happened) (since|from|after|compared to|compared with|relative to|against) [CHECKPOINT] <id>',
      '(diff|compare) [this|it|files|the files|everything|with|against|to|our work] [with|against|to|since|from] [CHECKPOINT] <id>',
      '[CHECKPOINT] diff [for|of|since|against|to|with|from] <id>',
      '(how much|how many files|how many lines|which files|what files) [has|have|were] (changed|did we change|been changed) since [CHECKPOINT] <id>',
      'changes since [CHECKPOINT] <id>',
      'how (does|do) [this|it|the files|files|things] (differ|compare) (from|to|with) [CHECKPOINT] <id>',
    ],
  },
  {
    command: 'ROLLBACK',
    forms: [
      '(rollback|roll back|revert|go back|return|rewind|reset|switch back|jump back|get back|move back) [everything|all|it|us|files|the files|things|all files|our files|the work tree|the code|the repository|the repo|state|the session] (to|until|back to) [state of|state at|the state at|the state of] [CHECKPOINT] <id>',
      'roll (everything|all|it|us|files|the files|things|all files|our files|the work tree|the code|the repository|the repo) back to [CHECKPOINT] <id>',
      '(bring|take|put|set|get|move) (everything|all|it|us|files|the files|things|all files|our files|me|the code) back to [CHECKPOINT] <id>',
      '(restore|recover|reinstate) [everything|all|files|the files|things] [to|from|of] CHECKPOINT <id>',
      '(restore|recover|reinstate) (everything|all|files|the files|things|it) (to|from|of) [CHECKPOINT] <id>',
      '(restore|recover|reinstate) <id>',
      '(rollback|roll back|revert|return) CHECKPOINT <id>',
      '(do|make|perform|start|run|execute) [a|the] rollback to [CHECKPOINT] <id>',
      'rollback <id>',
      '(undo|discard|throw away|drop) (everything|all changes|every change|all that happened|all) [made|done|that happened] (since|after) [CHECKPOINT] <id>',
    ],
  },
  {
    command: 'ROLLBACK',
    isUnnamed: true,
    forms: [
      'UNDO [now|it|that|this|everything|all|the last change|the last changes|our changes|all changes|the changes|what we did|what you did|what i did|what we have done|my changes|files|the files|the work|things]',
      'UNDO [everything|all|it|us|files|the files] to [the|a|our|an] (LAST|some|any|good|working|old) [good|working] (CHECKPOINT|state|version|one|point)',
      'UNDO [everything|all|it|us|files|the files] to [the|a|our] (CHECKPOINT|before|where we were|how it was|what it was|what we had)',
      '(roll|take|bring|put|get) (everything|it|all|things|us|files|the files) back [to the LAST CHECKPOINT|to the CHECKPOINT|to how it was]',
      '(restore|recover) [the|our] (LAST CHECKPOINT|CHECKPOINT)',
      'undo [the|our|my|all|all of] [last|latest|recent|these|those] (changes|change|work|step|steps|edits|mess|task)',
      '(do|make|perform|start) [a] rollback',
    ],
  },
  {
    command: 'ROLLBACK:dry-run',
    forms: [
      '(preview|simulate|try out|dry run|dry-run|show|test|rehearse|plan) [a|the|what|how] (rollback|rolling back|roll back) (to|of) [CHECKPOINT] <id> [would change|would do|would look like|would look]',
      'what (would|will|does|could|might) (rolling back|a rollback|reverting|restoring|going back|returning|the rollback|rollback|resetting) (to|of) [CHECKPOINT] <id> (do|change|mean|affect|undo|bring|look like|cost|remove)',
      '(what would happen|what happens|what would change|what will happen|what changes|what if|what would it change) [if] (i|we|you) (rolled back|roll back|went back|go back|reverted|revert|returned|return|reset) to [CHECKPOINT] <id>',
      '(dry run|dry-run) [of|for|a|the] [rollback] [to|of] [CHECKPOINT] <id>',
      '(show|tell) me what (rolling back|a rollback|reverting|going back) to [CHECKPOINT] <id> would (do|change|mean)',
      '(rollback|roll back) to [CHECKPOINT] <id> (as a dry run|dry run|in a dry run|but only as a dry run|but only preview it|but do not do it|without doing it|just as a test)',
      '(do|make|run) [a] dry run of [a|the] rollback to <id>',
    ],
  },
  {
    command: 'ROLLBACK:status',
    forms: [
      '[SHOW] [me] [the] (rollback status|status of rollback|status of the rollback|rollback state|last rollback|latest rollback)',
      '(what is|how is|how about) [the] (rollback status|status of rollback|status of the rollback|rollback state|last rollback|latest rollback)',
      'when (was|did) [the|we|you|i] (last|latest|most recent|last roll|roll) (rollback|back|roll back)',
      '(did|have|has) (we|i|anyone|somebody|anybody|you) [ever|already] (rolled back|roll back|rolled anything back|roll anything back)',
      '(has|have) (there been|anything been) [any|a] (rollback|rollbacks|rolled back)',
      'was there [a|any] rollback',
      'what was [the] (last|latest) rollback',
    ],
  },
  {
    command: 'CONTEXT:export',
    forms: [
      'EXPORT [CONTEXT|all context|session] (to|into|in|as|at) [file] <filepath>',
      'EXPORT [the|our|this] CONTEXT [out] (to|into|in|as|at) [file] <filepath>',
      'EXPORT [only|just] [the] <filter> [CONTEXT|part|items|ones|values|entries] (to|into|in|as|at) [file] <filepath>',
      'EXPORT [the|our|this] CONTEXT (to|into|in|as|at) [file] <filepath> (with filter|with|filtered by|but only|only|,) <filter> [items|ones|only|filter]',
      '(write|dump|save|put) [out] [the|our|this] CONTEXT [out] (to|into|in|as|at) [file] <filepath>',
      '(create|make|write) [a|an|the] (context file|context export|export) (at|in|called|named|as|to) <filepath>',
      'EXPORT (changes|what changed|what is new) since [the] last export (to|into|in) <filepath>',
    ],
  },
  {
    command: 'CONTEXT:import',
    forms: [
      '(import|load|read|read in|bring in|take in|pull in|bring back|restore|get) [the|our|a|an|that|saved] (context|session context|context file|session|saved context|saved session|session data) (from|in|of|at|,) [file] <filepath>',
      '(import|load|read|read in|bring in|take in|pull in|restore) [the] context file <filepath>',
      'import [file|from|from file|everything from|all from|everything in] <filepath>',
      '(resume|continue|start|go on|pick up|carry on) (from|with) [the] (context|session|context file|context in|session in) [in|from|of] <filepath>',
      '(resume|continue|pick up) from <filepath>',
    ],
  },
  {
    command: 'CONTEXT:import',
    with: { mode: 'merge' },
    forms: [
      'merge [the|our] [context] [file|from|in|of|context from|context in|context of] <filepath> [into [the|our|this] (session|context|state|current session|what we have|ours)|in|with ours|with what we have|with the session]',
      'merge in [the] [context] [from|of] <filepath>',
      '(import|load|add|read|bring in) <filepath> (to|into) [the|our|this] (session|context|existing context) (by merging|and merge|without replacing|without replacing anything)',
      'add [the] (context|context file) [from|of|in] <filepath> [to (the|our|this) (session|context)]',
    ],
  },
  {
    command: 'CONTEXT:list',
    forms: [
      '(SHOW|CHECK) [me|us] [all|of] [the|our|available] (context files|contexts|exports|saved contexts|exported contexts|context exports|saved sessions)',
      '(what|which) (context files|contexts|exports|saved contexts) (are there|exist|do we have|have we got|are available|can we import|can i import|have we exported)',
      'are there [any] (context files|contexts|saved contexts)',
      'do we have [any] (context files|contexts|saved contexts)',
    ],
  },
  {
    command: 'CONTEXT:list',
    forms: [
      '(SHOW|CHECK) [me|us] [all|of] [the|our|available] (context files|contexts|exports|saved contexts) (in|at|of|under|inside|from|below) [folder|directory] <directory>',
      '(what|which) (context files|contexts|exports|saved contexts|context) (are|are there|exist|do we have|is|is there|lie) (in|at|under|inside|below) [folder|directory] <directory>',
      'are there [any] (context files|contexts|saved contexts) (in|at|under) [folder|directory] <directory>',
    ],
  },
  {
    command: 'CONTEXT:validate',
    forms: [
      '(validate|verify|check|examine|inspect|test) [the] [context|context file|file|export] <filepath>',
      '(check|see|verify|tell me) (whether|if|that) [the] [context|context file|file] <filepath> is (valid|ok|okay|correct|fine|in order|good|readable|intact|usable|a valid context file|well-formed|a valid context|importable)',
      'is [the] [context|context file|file] <filepath> (valid|ok|okay|correct|fine|in order|good|readable|intact|usable|a valid context file|well-formed|a valid context|valid context|valid context file|importable|still good|still valid)',
      '(can|could|may) (we|i|you) (import|read|use|load) <filepath>',
      'does <filepath> (look right|look ok|look valid|work|validate)',
      'is there [anything|something] wrong with <filepath>',
      'what is wrong with <filepath>',
    ],
  },
]
