/** Health, help, versions and errors. */
import type { Request } from './request.ts'

export const aboutRequests: readonly Request[] = [
  {
    command: 'HEALTH:session',
    forms: [
      '(health|session health|health check|health report|health status)',
      '(SHOW|CHECK|run|do|make) [me] [the|a|our] [session] (health|health check|health report|health status|vitals)',
      '(SHOW|CHECK) [me] [the] health of [the|this|our] session',
      'how (healthy|well|fit) (is|are) (the session|this session|session|our session|we|everything|it)',
      'how is [the|this|our] (session|session doing|session health|health)',
      'is [the|this|our] session [still] HEALTHY',
      'is everything HEALTHY [with the session|with this session|with our session|here|in this session]',
      'are we [still] (healthy|ok|okay|in good shape|in good health)',
      '(how long|since when) (has|have|is) [the|this|our] (session|we) (been running|been up|running|up|been going)',
      'what is [the|our] (uptime|health|session health|error rate|health status)',
      'how many errors (were there|have there been|do we have|did we have|happened|occurred|are there|have we had)',
      '(should|do) (we|i) [need|have] [to] start [a] new session',
      'is it time for [a] new session',
    ],
  },
  {
    command: 'HEALTH:context',
    forms: [
      'how full is [the|our|this] (context|context window|window|session)',
      'how (much|many) [of] [the|our] (context|tokens|context window|window|room|space|token budget|context tokens) (is|are|have|has|do|did) [we|you|been|there|still] [used up|used|left|have left|gone|full|free|remaining|taken|have|use|used so far|still have]',
      'how (much|many) [of] [the|our] (context|tokens|context window|window|room|space) (have we used up|have we used|have we left|do we have left|is left|are left|remain|remains|did we use)',
      '(context|token) (usage|health|use|budget|consumption|fill level|status)',
      '(SHOW|CHECK|what is) [me] [the|our|current] (context|token|context window) (usage|health|use|budget|consumption|fill level)',
      '(are|is) (we|the context|context|the window|context window|the context window) (running out of tokens|running out of context|nearly full|almost full|full|filling up|running out of room)',
      'are we (running out of|short of|low on) (context|tokens|room|space)',
      'health of [the|our] context',
      'how much (context|room|space) (is left|remains|do we have left|have we left) [in|of] [the] [context|context window|window]',
      'check [the|our] (context window|tokens|token count)',
    ],
  },
  {
    command: 'HELP',
    forms: [
      '[i|we] [need|want|could use] [some] help [me|us|please]',
      'what can (you|i|we) (do|say|ask|ask for|tell you)',
      'what (commands|requests) (are there|exist|do you know|do you have|are available|can i use|can i say|can i give|do you understand|can i run|are possible|do we have)',
      'which commands (are there|exist|do you know|do you have|are available|can i use|do you understand)',
      '(SHOW|CHECK) [me|us] [the|some|available] (commands|help|available commands|help text|usage|possible commands)',
      'how (does|do) (this|it|that|the protocol|things|all this) work',
      'how (do|can|should) i (use|work with) (this|it|you|the protocol|signalbox|this thing|sessions)',
      'commands',
      'what are [my|our|the] (options|possibilities|commands)',
      'how do i (start|begin|get started)',
    ],
  },
  {
    command: 'HELP',
    with: { category: 'all' },
    forms: [
      '(SHOW|CHECK) [me|us] (all|all of|every|the complete list of|the full list of|a list of all|complete list of|full list of|list of all) [the|available] (commands|command)',
      '(what are|which are) all [the] commands',
      'help (with everything|all|on everything|about everything)',
    ],
  },
  {
    command: 'HELP',
    forms: [
      '[i|we] [need|want|could use] [some] help [me|us] (with|on|about|for|regarding|in) [the] <category> [commands|command]',
      'explain [to me] [the] <command> (command|commands)',
      '(what|how) does [the] <command> (command|do|work) [do|work]',
      'how (do|can|does|should) (i|we|one|you) use [the] [command] <command> [command]',
      'how (is|are) [the] <command> (used|command used|written)',
      '(SHOW|CHECK|what is) [me] [the] (usage|syntax|help|help text|manual) (of|for|on|about) [the] [command] <command> [command]',
      '(SHOW|CHECK|what are|which are|list) [me] [the|all] <category> commands',
      'help <category>',
      '(what|which) commands (are there|exist|do you have) (for|about|on|in) <category>',
      'explain <command>',
      'how do i write [a|an|the] <command> [command]',
    ],
  },
  {
    command: 'VERSION',
    forms: [
      'VERSION [number]',
      '(what|which) VERSION (is this|is it|are you|do you have|do you speak|do you use|are you on|are you running|are we running|are we using|do we use|do we have|are we on|is running|is in use|is that|of protocol is this|of protocol are you running|do you run|runs here|of the protocol is this|of the protocol are you running|of the protocol do you speak|is used)',
      '(SHOW|CHECK|what is|tell) [me] [the|your|our|its|current] VERSION [number]',
      'which version of [the] protocol (is this|do you speak|do you use|are you running|are we on)',
    ],
  },
  {
    command: 'VERSION:check',
    forms: [
      '(is|are|does|will|would) [version|protocol version|protocol|we|you|this|it] <version> [still] (compatible|supported|work|ok|okay|fine|accepted)',
      '(is|are|will) (we|you|this|it) [be] compatible (with|to) [version|protocol|protocol version] <version>',
      '(check|verify|see|tell me) [compatibility|whether|if|that] [with|against|of] [we are compatible with|you are compatible with|version|protocol version|protocol] <version> [is compatible|for compatibility|compatibility]',
      '(check|compare) version [against|with|of] <version>',
      '(do|does|can|could) (you|we|it|this) (support|speak|understand|work with|handle|run with) (version|protocol|protocol version) <version>',
      'compatible (with|to) [version] <version>',
      'compatibility (with|of) [version] <version>',
    ],
  },
  {
    command: 'VERSION:features',
    forms: [
      '(what|which) features (are there|do you have|exist|do you support|are supported|does this have|are available|does it have|do we have|does the protocol have|does this version have|have you got)',
      '(SHOW|CHECK) [me|us] [all|of] [the|your|available|supported] features',
      'features',
      'what (do you|does it|does this|does the protocol) support',
    ],
  },
  {
    command: 'SUPPORTS',
    forms: [
      '(do|does|can|could) (you|this|it|the protocol|this version|this session) (support|have|know|handle|offer|do) [feature] <feature> [feature]',
      'is [the] [feature] <feature> [feature] (supported|available|there|possible|a feature|implemented)',
      'are <feature> (supported|available|possible)',
      '(is there|have you|do we have) [any] support for <feature>',
      'check [whether|if|for] <feature> [is] (support|supported|available)',
      'check for [the] [feature] <feature>',
    ],
  },
  {
    command: 'ERROR',
    forms: [
      '(report|record|log|note|raise|file) [an|the|a] error <code> [,|with|saying|that] <desc>',
      '[there is|there was|we have|i got|we got|i have|got] [an|the] error <code> [,|with|saying] <desc>',
      '(report|record|log|note) <code> , <desc>',
    ],
  },
]
