/** Templates and data made up by chance from the grammar of Jinja2. The same seed makes the same case. */
import type { TemplateCase } from './oracle.ts'

type Kind = 'int' | 'float' | 'text' | 'list' | 'dict' | 'bool' | 'any'

/** A small generator of numbers; good enough to choose by, and the same on every runtime. */
class Chance {
  private state: number
  constructor(seed: number) {
    this.state = (seed * 2654435761 + 12345) >>> 0
  }
  below(end: number): number {
    this.state ^= this.state << 13
    this.state ^= this.state >>> 17
    this.state ^= this.state << 5
    this.state >>>= 0
    return this.state % end
  }
  of<T>(items: readonly T[]): T {
    return items[this.below(items.length)]!
  }
  one(chances: number): boolean {
    return this.below(chances) === 0
  }
}

const texts = [
  '',
  'a',
  'Hello World',
  'x-y z',
  "it's",
  '<b>&"q"</b>',
  'äß😀',
  'one\ntwo\n\n three ',
  '  pad ',
  '42',
  '3.5',
  'a,b,,c',
]
const ints = ['0', '1', '2', '3', '7', '10', '255', '-1', '-5', '100', '1_000', '0x1f']
const floats = ['0.0', '1.0', '2.5', '-0.5', '1e3', '1e16', '1.5e-7', '3.14159', '0.1', '100.25']
const names = ['a', 'b', 'c', 'x', 'y']

/** What every case gets as data, by kind; the values differ. */
const given: Readonly<Record<Exclude<Kind, 'any'>, readonly string[]>> = {
  int: ['n', 'm'],
  float: ['f', 'g'],
  text: ['s', 'w'],
  list: ['l', 'p', 'users'],
  dict: ['d', 'e'],
  bool: ['t', 'u'],
}

const quote = (text: string) => `'${text.replace(/\\/g, '\\\\').replace(/'/g, "\\'").replace(/\n/g, '\\n')}'`

export class RandomTemplates {
  private readonly chance: Chance
  private readonly locals: { name: string; kind: Kind }[] = []
  private readonly macros: { name: string; params: number; hasCaller: boolean }[] = []
  private loops = 0
  private serial = 0
  private inBlock = false

  constructor(seed: number) {
    this.chance = new Chance(seed)
    for (let i = 0; i < 5; i++) this.chance.below(10)
  }

  makeCase(): TemplateCase {
    const { chance } = this
    const data = JSON.stringify(this.data()).replace(/"#([^"]*)"/g, '$1')
    const templates: Record<string, string> = {
      inc: this.fresh().body(2),
      lib: `{% macro lm(a, b=2) %}<{{ a }}:{{ b }}{% if caller is defined %}{{ caller() }}{% endif %}>{% endmacro %}{% set lv = ${this.fresh().expression('any', 2)} %}`,
    }
    if (chance.one(3)) {
      templates.base = `[${this.fresh().body(1)}{% block one %}${this.fresh().body(1)}{% endblock %}|{% block two scoped %}base two{% endblock %}]${chance.one(3) ? '{{ self.one() }}' : ''}`
      const top = chance.one(2) ? this.setStatement() : ''
      templates.main = `{% extends 'base' %}${top}{% block one %}${this.block()}${chance.one(2) ? '{{ super() }}' : ''}{% endblock %}`
      if (chance.one(2)) templates.main += `{% block two %}${this.block()}{% endblock %}`
    } else templates.main = this.body(4)
    return { templates, name: 'main', data }
  }

  private fresh(): RandomTemplates {
    return new RandomTemplates(this.chance.below(1e9))
  }

  private block(): string {
    this.inBlock = true
    const text = this.body(2)
    this.inBlock = false
    return text
  }

  private data(): unknown {
    const { chance } = this
    const scalar = () =>
      chance.of<unknown>([chance.below(20), `#${chance.of(floats).replace('_', '')}`, chance.of(texts), null, true])
    const list = (): unknown[] => Array.from({ length: chance.below(5) }, scalar)
    const users = Array.from({ length: chance.below(4) }, () => ({
      name: chance.of(['Ann', 'bob', 'Cid', 'dan']),
      age: chance.below(5),
      tags: Array.from({ length: chance.below(3) }, () => chance.of(texts)),
    }))
    return {
      n: chance.below(10),
      m: chance.below(3) - 1,
      f: `#${chance.of(floats)}`,
      g: `#${chance.of(floats)}`,
      s: chance.of(texts),
      w: chance.of(texts),
      l: Array.from({ length: chance.below(5) }, () => chance.below(9)),
      p: list(),
      users,
      d: { k: scalar(), a: chance.below(9), z: list(), B: chance.of(texts) },
      e: chance.one(2) ? {} : { one: 1, Two: '#2.0', three: [3] },
      t: true,
      u: chance.one(2),
    }
  }

  // Statements

  private body(depth: number): string {
    let text = ''
    const mark = this.locals.length
    for (let i = 1 + this.chance.below(4); i > 0; i--) text += this.statement(depth)
    this.locals.length = mark
    return text
  }

  private tag(inner: string): string {
    const { chance } = this
    const control = () => (chance.one(6) ? '-' : chance.one(12) ? '+' : '')
    return `{%${control()} ${inner} ${control()}%}`
  }

  private plain(): string {
    return this.chance.of([
      ' ',
      '\n',
      'text ',
      ' mid\n  ',
      '- item\n',
      '{# note #}',
      '{#- cut -#} ',
      '{% raw %}{{ raw }}{% endraw %}',
      'é😀 ',
    ])
  }

  private print(): string {
    const { chance } = this
    const expression = this.expression('any', 3)
    return chance.one(5) ? `{{- ${expression} -}}` : `{{ ${expression} }}`
  }

  private statement(depth: number): string {
    const { chance } = this
    if (depth <= 0) return chance.one(3) ? this.plain() : this.print()
    switch (chance.below(16)) {
      case 0:
      case 1:
        return this.plain()
      case 2:
        return this.ifStatement(depth)
      case 3:
      case 4:
        return this.forStatement(depth)
      case 5:
      case 6:
        return this.setStatement()
      case 7:
        return `${this.tag(`with ${chance.of(names)} = ${this.expression('any', 2)}`)}${this.body(depth - 1)}${this.tag('endwith')}`
      case 8:
        return this.macroStatement(depth)
      case 9:
        return `${this.tag(`filter ${chance.of(['upper', 'trim', "replace('a', 'b')", 'indent(2)', 'title|lower'])}`)}${this.body(depth - 1)}${this.tag('endfilter')}`
      case 10:
        return this.capture(depth)
      case 11:
        return this.other()
      case 12:
        return `{% autoescape ${chance.of(['true', 'false', 't', 'u'])} %}${this.body(depth - 1)}{% endautoescape %}`
      default:
        return this.print()
    }
  }

  private ifStatement(depth: number): string {
    const { chance } = this
    let text = this.tag(`if ${this.expression('bool', 2)}`) + this.body(depth - 1)
    if (chance.one(3)) text += this.tag(`elif ${this.expression('any', 2)}`) + this.body(depth - 1)
    if (chance.one(2)) text += this.tag('else') + this.body(depth - 1)
    return text + this.tag('endif')
  }

  private forStatement(depth: number): string {
    const { chance } = this
    const isPair = chance.one(4)
    const item = chance.of(names)
    const source = isPair
      ? `${this.expression('dict', 1)}.items()`
      : chance.one(4)
        ? `range(${chance.below(4)})`
        : this.expression('list', 2)
    const target = isPair ? `${item}, ${item}v` : item
    const test = chance.one(4) ? ` if ${this.expression('bool', 1)}` : ''
    this.locals.push({ name: item, kind: 'any' })
    this.loops++
    let text = this.tag(`for ${target} in ${source}${test}`) + this.body(depth - 1)
    this.loops--
    this.locals.pop()
    if (chance.one(3)) text += this.tag('else') + this.body(depth - 1)
    return text + this.tag('endfor')
  }

  private setStatement(): string {
    const { chance } = this
    if (chance.one(6))
      return `{% set ns = namespace(v=${this.expression('int', 1)}) %}{% set ns.v = ns.v + 1 %}{{ ns.v }}`
    if (chance.one(8)) return `{% set a, b = ${this.expression('any', 1)}, ${this.expression('any', 1)} %}`
    const kind = chance.of<Kind>(['int', 'float', 'text', 'list', 'dict', 'bool'])
    const value = this.expression(kind, 2)
    const name = chance.of(names)
    this.locals.push({ name, kind })
    return this.tag(`set ${name} = ${value}`)
  }

  private capture(depth: number): string {
    const { chance } = this
    const name = chance.of(names)
    const text = `${this.tag(`set ${name}${chance.one(3) ? '|upper' : ''}`)}${this.body(depth - 1)}${this.tag('endset')}`
    this.locals.push({ name, kind: 'text' })
    return text
  }

  private macroStatement(depth: number): string {
    const { chance } = this
    const name = `m${++this.serial}`
    const params = chance.below(3)
    const hasCaller = chance.one(2)
    const list = Array.from({ length: params }, (_, i) => `p${i}${i === 1 ? ` = ${this.expression('any', 1)}` : ''}`)
    const mark = this.locals.length
    for (let i = 0; i < params; i++) this.locals.push({ name: `p${i}`, kind: 'any' })
    const body =
      this.body(depth - 1) + (hasCaller ? "{{ caller('c') }}" : '') + (chance.one(4) ? '{{ varargs }}{{ kwargs }}' : '')
    this.locals.length = mark
    const definition = `${this.tag(`macro ${name}(${list.join(', ')})`)}${body}${this.tag('endmacro')}`
    const args = Array.from({ length: chance.below(3) }, () => this.expression('any', 1)).join(', ')
    if (!hasCaller) this.macros.push({ name, params, hasCaller })
    if (hasCaller) return `${definition}{% call(q) ${name}(${args}) %}{{ q }}${this.body(depth - 1)}{% endcall %}`
    return `${definition}{{ ${name}(${args}) }}`
  }

  private other(): string {
    const { chance } = this
    return chance.of([
      "{% include 'inc' %}",
      "{% include 'gone' ignore missing %}",
      "{% include ['gone', 'inc'] %}",
      "{% import 'lib' as lib %}{{ lib.lm(n) }}{{ lib.lv }}",
      "{% from 'lib' import lm, lv as q with context %}{{ lm(1, b=s) }}{{ q }}",
      "{% from 'lib' import lm %}{% call lm(1) %}called{% endcall %}",
      "{% set i = 'inc' %}{% include i %}",
      this.inBlock ? '' : `{% block b${++this.serial}x${chance.below(1000)} %}inner{% endblock %}`,
      '{% set cy = cycler(1, 2) %}{{ cy.next() }}{{ cy.next() }}{{ cy.current }}',
      '{% print n, s %}',
      '{% for i in l recursive %}{{ i }}{% if loop.depth < 3 %}({{ loop(l[:2]) }}){% endif %}{% endfor %}',
      `{{ ${this.expression('any', 1)} }}`,
    ])
  }

  // Expressions

  private expression(kind: Kind, depth: number): string {
    const { chance } = this
    if (chance.one(250))
      return chance.of(['missing', 'd.nope', 'l[99]', 'none', 'missing|default(1)', 'missing is defined'])
    const wanted = kind === 'any' ? chance.of<Kind>(['int', 'float', 'text', 'text', 'list', 'dict', 'bool']) : kind
    if (depth <= 0 || chance.one(4)) return this.leaf(wanted)
    if (chance.one(10))
      return `(${this.expression(wanted, depth - 1)} if ${this.expression('bool', depth - 1)} else ${this.expression(wanted, depth - 1)})`
    const local = this.locals.filter((one) => one.kind === 'any')
    if (chance.one(12) && local.length > 0) return chance.of(local).name
    const text = this.composed(wanted, depth - 1)
    // Without brackets some of them mean something else, and many nothing at all.
    return chance.one(100) ? text : `(${text})`
  }

  private leaf(kind: Kind): string {
    const { chance } = this
    const local = this.locals.filter((one) => one.kind === kind)
    if (local.length > 0 && chance.one(3)) return chance.of(local).name
    if (kind !== 'any' && chance.one(2)) return chance.of(given[kind])
    switch (kind) {
      case 'int':
        return this.loops > 0 && chance.one(4)
          ? chance.of(['loop.index', 'loop.index0', 'loop.length', 'loop.revindex'])
          : chance.of(ints)
      case 'float':
        return chance.of(floats)
      case 'text':
        return quote(chance.of(texts))
      case 'list':
        return chance.of([
          '[]',
          '[1, 2, 3]',
          "['b', 'A', 'c']",
          '[3, 1.0, true]',
          "(1, 'x')",
          '[[1, 2], [3, 4]]',
          '[none, true]',
          'range(4)',
        ])
      case 'dict':
        return chance.of([
          '{}',
          "{'a': 1, 'b': [1.5]}",
          "{1: 'one', 'k': none}",
          "dict(a=1, q='x')",
          "{(1, 2): 't', 2.0: 'f'}",
        ])
      default:
        return this.loops > 0 && chance.one(3)
          ? chance.of(['loop.first', 'loop.last', 'loop.changed(n)'])
          : chance.of(['true', 'false', 'none', 'True'])
    }
  }

  private composed(kind: Kind, depth: number): string {
    const { chance } = this
    const ex = (wanted: Kind) => this.expression(wanted, depth)
    const number = () => ex(chance.of<Kind>(['int', 'int', 'float', 'bool']))
    switch (kind) {
      case 'int':
        return chance.of([
          () => `(${ex('int')} ${chance.of(['+', '-', '*', '//', '%'])} ${ex('int')})`,
          () => `${chance.of(['2', '3', '10'])} ** ${chance.below(30)}`,
          () => `${ex('text')}|length`,
          () => `${ex('list')}|length`,
          () => `(${ex('any')})|int`,
          () => `${ex('text')}.find(${ex('text')})`,
          () => `${ex('text')}.count(${ex('text')})`,
          () => `${ex('text')}|wordcount`,
          () => `${ex('list')}|sum`,
          () => `(-${this.leaf('int')})`,
          () => `(${ex('int')})|abs`,
          () => `${ex('list')}.index(${ex('any')})`,
          () => `${ex('text')}|int(${ex('int')}, ${chance.of(['2', '8', '10', '16', '0'])})`,
          () => `${chance.of(given.list)}[${ex('int')}]`,
        ])()
      case 'float':
        return chance.of([
          () => `(${number()} ${chance.of(['+', '-', '*', '/', '//', '%'])} ${number()})`,
          () =>
            `(${number()})|round(${chance.below(4)}${chance.one(3) ? `, '${chance.of(['ceil', 'floor', 'common'])}'` : ''})`,
          () => `(${ex('any')})|float`,
          () => `(${ex('int')} / ${ex('int')})`,
          () => `${chance.of(given.list)}|max`,
        ])()
      case 'text':
        return this.text(depth)
      case 'list':
        return this.list(depth)
      case 'dict':
        return chance.of([
          () => `dict(${ex('dict')}, z=${ex('any')})`,
          () => `{${quote(chance.of(texts))}: ${ex('any')}, 'q': ${ex('any')}}`,
          () => `${ex('dict')}.copy()`,
          () => chance.of(['users[0]', 'users|first', 'users|last']),
        ])()
      default:
        return this.bool(depth)
    }
  }

  private text(depth: number): string {
    const { chance } = this
    const ex = (wanted: Kind) => this.expression(wanted, depth)
    const simple = [
      'upper',
      'lower',
      'title',
      'capitalize',
      'trim',
      'e',
      'striptags',
      'string',
      'reverse',
      'urlencode',
      'forceescape',
      'safe',
      'urlize',
    ]
    const methods = [
      'upper()',
      'lower()',
      'strip()',
      'title()',
      'swapcase()',
      'capitalize()',
      'lstrip()',
      "strip('a ')",
      'zfill(6)',
      "center(9, '*')",
      'ljust(5)',
      "rjust(7, '.')",
      'expandtabs(3)',
      'casefold()',
      "removeprefix('a')",
      "replace('o', '0')",
      "replace('', '-')",
    ]
    return chance.of([
      () => `(${ex('any')} ~ ${ex('any')})`,
      () => `(${ex('text')} + ${ex('text')})`,
      () => `(${ex('text')} * ${chance.below(4)})`,
      () => `(${ex('any')})|${chance.of(simple)}`,
      () => `${ex('text')}.${chance.of(methods)}`,
      () => `${ex('text')}[${this.slice()}]`,
      () => `${ex('text')}|replace(${ex('text')}, ${ex('text')}${chance.one(3) ? ', 1' : ''})`,
      () => `${ex('list')}|join(${quote(chance.of([',', ' ', '']))})`,
      () => `(${ex('any')})|tojson${chance.one(3) ? '(indent=2)' : ''}`,
      () => `(${ex('any')})|pprint`,
      () =>
        `${ex('text')}|truncate(${4 + chance.below(12)}, ${chance.of(['true', 'false'])}, leeway=${chance.below(3)})`,
      () =>
        `${ex('text')}|indent(${chance.below(4)}, ${chance.of(['true', 'false'])}, ${chance.of(['true', 'false'])})`,
      () => `${ex('text')}|center(${chance.below(20)})`,
      () => `${ex('text')}|wordwrap(${1 + chance.below(12)}${chance.one(3) ? ', false' : ''})`,
      () => `'${chance.of(['%s', '%r', '%5s|', '%-6s|', '%.2s'])}' % (${ex('any')},)`,
      () =>
        `'${chance.of(['%d', '%05d', '%+d', '%x', '%.2f', '%e', '%g', '%8.3f|', '% d', '%#x', '%o'])}'|format(${ex(chance.of<Kind>(['int', 'float']))})`,
      () => `'{:${chance.of(['', '>8', '<8', '^9', '*^9', '.3'])}}|{!r}'.format(${ex('text')}, ${ex('any')})`,
      () =>
        `'{:${chance.of(['', '>8', '08.2f', ',', '+', '.1%', 'e', 'g', '^12', '_', '010', '.3g'])}}'.format(${ex(chance.of<Kind>(['int', 'float']))})`,
      () => `(${ex(chance.of<Kind>(['int', 'float']))})|filesizeformat`,
      () => `${ex('dict')}|xmlattr`,
      () => `${ex('dict')}|urlencode`,
      () => `(${ex('any')})|default(${ex('text')}, true)`,
    ])()
  }

  private slice(): string {
    const { chance } = this
    const bound = () => (chance.one(3) ? '' : String(chance.below(7) - 3))
    return `${bound()}:${bound()}${chance.one(3) ? `:${chance.of(['1', '2', '-1', '-2'])}` : ''}`
  }

  private list(depth: number): string {
    const { chance } = this
    const ex = (wanted: Kind) => this.expression(wanted, depth)
    const tests = [
      'odd',
      'even',
      'number',
      'string',
      'none',
      'defined',
      'integer',
      'float',
      'mapping',
      'true',
      'sequence',
      'iterable',
    ]
    return chance.of([
      () => `(${ex('list')} + ${ex('list')})`,
      () => `[${ex('any')}, ${ex('any')}]`,
      () => `${ex('list')}[${this.slice()}]`,
      () => `${ex('list')}|sort${chance.one(3) ? '(reverse=true)' : ''}`,
      () => `${ex('list')}|unique|list`,
      () => `${ex('list')}|reverse|list`,
      () =>
        `${ex('list')}|map('${chance.of(['string', 'int', 'float', 'upper', 'length', 'abs', 'e', 'tojson'])}')|list`,
      () => `${ex('list')}|${chance.of(['select', 'reject'])}('${chance.of(tests)}')|list`,
      () =>
        `${ex('list')}|${chance.of(['select', 'reject'])}('${chance.of(['eq', 'ne', 'lt', 'ge', 'in', 'divisibleby'])}', ${ex('int')})|list`,
      () =>
        `users|map(attribute='${chance.of(['name', 'age', 'tags', 'tags.0', 'nope'])}'${chance.one(3) ? ", default='?'" : ''})|list`,
      () =>
        `users|${chance.of(['selectattr', 'rejectattr'])}('age'${chance.one(2) ? ", 'gt', 1" : ''})|map(attribute='name')|list`,
      () => `users|sort(attribute='${chance.of(['age', 'name', 'age,name'])}')|map(attribute='name')|list`,
      () => `users|groupby('${chance.of(['age', 'name'])}')`,
      () => `${ex('list')}|batch(${1 + chance.below(3)}${chance.one(2) ? ", '-'" : ''})|list`,
      () => `${ex('list')}|slice(${1 + chance.below(3)}${chance.one(2) ? ", '-'" : ''})|list`,
      () => `${ex('dict')}|dictsort${chance.one(3) ? "(by='value')" : ''}`,
      () => `${ex('dict')}.${chance.of(['keys', 'values', 'items'])}()|list`,
      () => `${ex('text')}.split(${chance.one(2) ? "','" : ''})`,
      () => `${ex('text')}.${chance.of(['splitlines()', "partition('a')", "rsplit(' ', 1)", "split('o', 1)"])}`,
      () => `${ex('text')}|list`,
      () => `(${ex('list')} * 2)`,
      () => `range(${chance.below(5)}, ${chance.below(9)}, ${chance.of(['1', '2', '-1'])})|list`,
    ])()
  }

  private bool(depth: number): string {
    const { chance } = this
    const ex = (wanted: Kind) => this.expression(wanted, depth)
    const compare = () => chance.of(['==', '!=', '<', '<=', '>', '>='])
    const tests = [
      'defined',
      'none',
      'string',
      'number',
      'mapping',
      'iterable',
      'sequence',
      'true',
      'boolean',
      'integer',
      'float',
      'escaped',
      'callable',
      'upper',
      'lower',
    ]
    return chance.of([
      () => `(${ex('int')} ${compare()} ${ex(chance.of<Kind>(['int', 'float']))})`,
      () => `(${ex('int')} ${compare()} ${ex('int')} ${compare()} ${ex('int')})`,
      () => `(${ex('text')} ${compare()} ${ex('text')})`,
      () => `(${ex('any')} ${chance.of(['==', '!='])} ${ex('any')})`,
      () => `(${ex('any')} ${chance.of(['in', 'not in'])} ${ex('list')})`,
      () => `(${ex('text')} in ${ex(chance.of<Kind>(['text', 'dict']))})`,
      () => `(not ${ex('any')})`,
      () => `(${ex('any')} ${chance.of(['and', 'or'])} ${ex('any')})`,
      () => `(${ex('any')}) is ${chance.one(3) ? 'not ' : ''}${chance.of(tests)}`,
      () => `(${ex('int')}) is ${chance.of(['odd', 'even', 'divisibleby 3', 'eq 1', 'in [1, 2]', 'gt 2'])}`,
      () =>
        `${ex('text')}.${chance.of(['isdigit()', 'isalpha()', 'isupper()', 'islower()', 'istitle()', 'isspace()', 'isalnum()', "startswith('a')", "endswith(('c', 'd'))"])}`,
    ])()
  }
}
