/**
 * The words of requests: those that mean the same, those that only carry others, and those that stand for something unnamed.
 * A class is used in the forms of requests by its name in capitals.
 */

/** In the notation of `pattern.ts`; a phrase has blanks. */
export const classes: Readonly<Record<string, string>> = {
  ASK: 'ask|tell|get|instruct|request|order|require|expect|want|need|direct|order|remind|would like|like|force',
  HAVE: 'have|let',
  SHOULD: 'should|must|shall|needs to|has to|ought to|is to|will|can|could|would|please',
  GIVE: 'give|hand|pass|send|assign|offer',
  ASSIGN: 'assign|delegate|give|hand|pass|hand over|pass on|entrust|allocate|leave|forward|dispatch|outsource',
  TASK: 'task|job|work|assignment|todo|to-do|work item|ticket',
  TELL: 'tell|inform|notify|message|ping|write to|write|text|dm|remind|warn|alert',
  SEND: 'send|post|push|write|drop',
  SHOW: 'show|list|display|print|give|tell|get|see|view|enumerate|name|check|read|fetch|read out',
  CHECK: 'check|show|see|get|give|tell|look at|look into|look up|fetch|bring|view|review|inspect|pull up|find',
  SAVE: 'save|store|keep|put|record|write|note|note down|write down|remember|memorize|memorise|stash|persist|hold on to',
  REMEMBER:
    'remember|note|record|keep in mind|save|store|memorize|memorise|write down|note down|make a note|do not forget',
  LOAD: 'load|recall|retrieve|fetch|look up|read|read back|read out',
  CLEAR: 'clear|reset|wipe|erase|empty|purge|flush|clear out|wipe out|wipe clean|blank|clean out',
  WAIT: 'wait|hold on|hold|pause|stop|block|sit tight|hang on|stand by',
  FOLLOW:
    'subscribe to|listen to|follow|listen on|watch|tune in to|tune into|join|hear|listen in on|sign up for|sign up to',
  LEAVE:
    'unsubscribe from|stop listening to|leave|unfollow|stop following|stop watching|quit|mute|unsubscribe|drop out of|sign off from|ignore',
  CREATE: 'create|make|take|set|save|record|add|do|start|draw|place|store|cut|write',
  CHECKPOINT: 'checkpoint|check point|snapshot|save point|savepoint|restore point|backup',
  CHECKPOINTS: 'checkpoints|check points|snapshots|save points|savepoints|restore points|backups',
  UNDO: 'rollback|roll back|revert|go back|rewind|undo|switch back|jump back|take us back|return',
  LAST: 'last|previous|latest|most recent|newest|earlier|prior|recent',
  EXPORT: 'export|write|save|dump|back up|backup|store|write out|output|put',
  CONTEXT: 'context|session context|context file|session|session data|context data',
  RETRY: 'retry|try again|redo|repeat|rerun|re-run|restart|try|attempt',
  FINISHED: 'done|finished|complete|completed|ready|over|through|closed',
  FINISH: 'finish|complete|close|resolve|conclude|wrap up|close out',
  FAILED: 'failed|broken|a failure|unsuccessful|given up|lost|impossible',
  HUMAN: 'human|person|human being|somebody in charge|operator|people|humans|real person|manager|owner',
  EVERYONE:
    'everyone|everybody|all agents|all of them|all the agents|the agents|agents|the team|all|the others|each agent|every agent|us all',
  SUMMARY: 'summary|overview|recap|roundup|rundown|synopsis|digest',
  SUMMARIZE: 'summarize|summarise|sum up|recap|wrap up|recapitulate|outline',
  KNOWN: 'known|recorded|noted|written down|on record|there',
  SAVED: 'saved|stored|kept|recorded|remembered|noted|put|written|set|have',
  KEYS: 'keys|state keys|saved keys|stored keys|saved values|stored values|variables|values|entries|state|session state|saved state|stored state|state values|current state|keys and values|memory',
  STATE:
    'state|session state|saved state|stored state|state of session|all state|memory|session memory|saved values|saved keys|stored values|stored keys|all keys|all saved keys|all saved values|all stored values|all stored keys|all values|all state keys|state keys|state of the session|entire state|whole state|everything saved|everything that is saved|everything you saved|everything you remember|everything we saved|all the keys|all the state|all of state|all the saved keys|all the saved values',
  ALL: 'everything|it|it all|all|this|that|all of it|the lot|all this|all that|whole thing|the whole thing|things|stuff|all of this|all of that|them',
  HEALTHY: 'healthy|well|ok|okay|fine|in good shape|alright|all right|in order|in good health|good',
  VERSION: 'version|protocol version|version of protocol|version of the protocol',
}

/** Skipped wherever a form expects something else. */
export const fillers: ReadonlySet<string> = new Set(
  'the a an our my your its their this these those that current please just now also then some any really actually simply old kindly quickly whole entire own own here'.split(
    ' ',
  ),
)

/** Articles, which names do without. Shared Agent Protocol §5: "Omit articles when clear". */
export const articles: ReadonlySet<string> = new Set(['the', 'a', 'an'])

/** They join what is said; no name begins, ends or goes on with one. */
export const joints: ReadonlySet<string> = new Set(
  (
    'of to in into on onto under as at by for from with without and or but then than if because since until till when while ' +
    'about after before be is are was were am been do does did has have had will would can could should must may might shall ' +
    "what which who whom whose where why how not no never 's = so that"
  ).split(' '),
)

/** They stand for something that is not named. */
export const pronouns: ReadonlySet<string> = new Set(
  (
    'it this that these those them they he she him her someone somebody anyone anybody everyone everybody everything all ' +
    'something anything nothing me you us we i one both none stuff things nobody others another whoever whatever thing'
  ).split(' '),
)

/** General nouns: "the file" names none. */
export const nouns: ReadonlySet<string> = new Set(
  (
    'file files resource resources agent agents team key keys value values channel channels checkpoint checkpoints signal ' +
    'signals condition conditions lock locks task tasks job jobs context session state path folder directory message messages ' +
    'command commands name again please up down out over back there here'
  ).split(' '),
)

/** Words of everyday speech that differ in a letter from a word of a request. They are right as they are. */
export const everyday: ReadonlySet<string> = new Set(
  (
    'clock block flock look cook book sock clean cleaned claim clear preset resat went want wants wash with wide wise wine wire ' +
    'lead road loan loaf lord cave wave gave sane same safe sale some sand send sends mend bend lend said laid paid pain plan ' +
    'food good mood wood feel fell fall tall tell well will till bill ball call hall hell help held hold told gold cold bold ' +
    'least last late later lists lost post past fast vast test text next nest rest best west list mist miss most must just ' +
    'here there where were wore more move made make take cake lake late state stale stage style store story shore score share ' +
    'shot shop show shows slow snow know known now note not nor for far car bar bear hear near year dear fear gear rear real ' +
    'read ready really reset resent recent relent relate related release lease least tease tear team term them then than that ' +
    'what when who why how right night light sight might fight tight eight weight wait await bait gait said saint paint point ' +
    'joint join coin loin lion line fine mine nine pine vine wine dine give live like bike hike file tile mile pile wife life ' +
    'left lift gift drift swift shift sift soft loft lots lock luck duck back pack rack tack sack lack jack black track trace ' +
    'face race place plane plate plain please pleas lease erase phase phrase praise raise rise wise size seize sign signs align ' +
    'single signed cancel channel chapel charge change chance dance lance glance balance'
  ).split(' '),
)
