/** Rendering a prompt against Jinja2 itself, both with the template loaded already, and from its text. */
import { spawnSync } from 'node:child_process'
import { openTemplates } from '@signalbox/jinja2'
import { compare, interleave } from '../measure.ts'
import type { Section } from '../section.ts'

const template = `# {{ title|upper }}
{% macro task(t) %}- [{{ t.id }}] {{ t.text|truncate(40) }}{% if t.owner %} ({{ t.owner }}){% endif %}{% endmacro %}
{% for section in sections %}
## {{ loop.index }}/{{ loop.length }} {{ section.name }}
{% for t in section.tasks if t.open %}{{ task(t) }}
{% else %}nothing to do
{% endfor %}{% endfor %}
{{ sections|map(attribute='name')|join(', ') }}
`

const data = JSON.stringify({
  title: 'plan',
  sections: Array.from({ length: 10 }, (_, i) => ({
    name: `section ${i}`,
    tasks: Array.from({ length: 30 }, (_, j) => ({
      id: j,
      text: `a text that is a little too long for one line of a prompt ${j}`,
      open: j % 3 !== 0,
      owner: j % 2 === 0 ? null : 'Ann',
    })),
  })),
})

const python = `
import json, sys, time
from jinja2 import Environment, StrictUndefined
template, data, count, cold = json.load(sys.stdin)
def load():
    return Environment(undefined=StrictUndefined).from_string(template)
loaded = load()
loaded.render(json.loads(data))
since = time.perf_counter()
for _ in range(count):
    text = (load() if cold else loaded).render(json.loads(data))
print(json.dumps([(time.perf_counter() - since) * 1e3 / count, text]))
`

/** Milliseconds a rendering in Python, and what it rendered. */
function inPython(count: number, isCold: boolean): { milliseconds: number; text: string } {
  for (const program of ['python3', '/usr/bin/python3']) {
    const input = JSON.stringify([template, data, count, isCold])
    const { status, stdout } = spawnSync(program, ['-c', python], { input, encoding: 'utf8' })
    if (status !== 0) continue
    const [milliseconds, text] = JSON.parse(stdout) as [number, string]
    return { milliseconds, text }
  }
  throw new Error('no python3 here has Jinja2 (Debian: python3-jinja2)')
}

const open = () => openTemplates({ load: async () => template })
const loaded = open()

async function ours(count: number, isCold: boolean, wanted: string): Promise<number> {
  const since = performance.now()
  for (let i = 0; i < count; i++) {
    const { text } = await (isCold ? open() : loaded).render({ name: 'plan', data })
    if (text !== wanted) throw new Error('the two render differently')
  }
  return (performance.now() - since) / count
}

export const templateRendering: Section = {
  title: 'Templates: rendering against Jinja2',

  async run(_places, { rounds, isQuick }) {
    let wanted: string
    try {
      wanted = inPython(1, false).text
    } catch (error) {
      return { figures: [], notes: [`Not measured: ${error instanceof Error ? error.message : error}.`] }
    }
    const count = isQuick ? 10 : 40
    const figures = []
    for (const [name, isCold] of [
      ['render', false],
      ['load and render', true],
    ] as const) {
      const samples = await interleave(rounds, {
        ours: () => ours(count, isCold, wanted),
        theirs: () => inPython(count, isCold).milliseconds,
      })
      figures.push(compare({ name, against: 'Jinja2', ...samples, unit: 'ms a prompt', ratio: 'speed' }))
    }
    return { figures, notes: ['A prompt of 300 tasks, its data read from JSON each time; ratio of speed; no goal.'] }
  },
}
