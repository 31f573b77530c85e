import { describe, expect, it } from 'vitest'
import { drawGraph, type GraphNode } from './graph.ts'

const nodes: GraphNode[] = [
  { id: 'aaaaaaaa-1', summary: 'Design', to: 'gemini', state: 'completed', dependencies: [] },
  {
    id: 'bbbbbbbb-1',
    summary: 'Say "hi"; </b> #1',
    to: 'all',
    state: 'pending',
    dependencies: ['msg:aaaaaaaa', 'path:./context/a.md', 'msg:lost', 'aaaaaaaa-1'],
    blocked: 'the file is missing',
  },
]

describe('a graph', () => {
  it('is drawn for Mermaid', () => {
    expect(drawGraph(nodes, 'mermaid')).toBe(`flowchart TD
  n0["aaaaaaaa-1 completed, to gemini<br/>Design"]:::completed
  n1["bbbbbbbb-1 blocked, to all<br/>Say #34;hi#34;#59; #60;/b#62; #35;1<br/>the file is missing"]:::blocked
  n2[/"path#58;context/a.md"/]:::file
  n3["msg#58;lost"]:::unknown
  n0 --> n1
  n2 --> n1
  n3 --> n1
  classDef completed fill:#dcf5e3,stroke:#555,color:#111
  classDef blocked fill:#ffe3c2,stroke:#555,color:#111
  classDef file fill:#ffffff,stroke:#555,color:#111
  classDef unknown fill:#f3d9fa,stroke:#555,color:#111
`)
  })

  it('is drawn for Graphviz', () => {
    expect(drawGraph(nodes, 'dot')).toBe(`digraph mission {
  node [shape=box, style="rounded,filled", fontname="sans-serif"]
  n0 [label="aaaaaaaa-1 completed, to gemini\\nDesign", fillcolor="#dcf5e3"]
  n1 [label="bbbbbbbb-1 blocked, to all\\nSay \\"hi\\"; </b> #1\\nthe file is missing", fillcolor="#ffe3c2"]
  n2 [label="path:context/a.md", fillcolor="#ffffff", shape=note]
  n3 [label="msg:lost", fillcolor="#f3d9fa"]
  n0 -> n1
  n2 -> n1
  n3 -> n1
}
`)
  })

  it('is written as JSON', () => {
    expect(JSON.parse(drawGraph(nodes, 'json'))).toEqual({
      nodes: [
        { id: 'aaaaaaaa-1', kind: 'message', state: 'completed', to: 'gemini', summary: 'Design' },
        {
          id: 'bbbbbbbb-1',
          kind: 'message',
          state: 'pending',
          blocked: 'the file is missing',
          to: 'all',
          summary: 'Say "hi"; </b> #1',
        },
        { id: 'path:context/a.md', kind: 'file' },
        { id: 'msg:lost', kind: 'unknown' },
      ],
      edges: [
        { from: 'aaaaaaaa-1', to: 'bbbbbbbb-1' },
        { from: 'path:context/a.md', to: 'bbbbbbbb-1' },
        { from: 'msg:lost', to: 'bbbbbbbb-1' },
      ],
    })
  })

  it('may be empty', () => {
    expect(drawGraph([], 'mermaid')).toBe('flowchart TD\n')
  })
})
