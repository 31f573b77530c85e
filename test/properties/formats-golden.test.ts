/** Files as found in the wild, each next to what it means, or to the code it is refused with. */
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { readFrontMatter, readFrontMatterBytes } from '../../src/formats/front-matter.ts'
import { editFields } from '../../src/formats/front-matter-edit.ts'
import type { Value } from '../../src/formats/header-field.ts'
import { parseHeaderMarkdown, printHeaderMarkdown } from '../../src/formats/header-markdown.ts'

const root = new URL('../golden/formats/', import.meta.url)

const golden = (folder: string): [name: string, text: string, meaning: Record<string, unknown>][] =>
  readdirSync(new URL(`${folder}/`, root))
    .filter((name) => name.endsWith('.md'))
    .sort()
    .map((name) => {
      const file = new URL(`${folder}/${name}`, root)
      return [
        name,
        readFileSync(file, 'utf8'),
        JSON.parse(readFileSync(new URL(file.href.replace(/md$/, 'json')), 'utf8')),
      ]
    })

const plain = (value: Value | undefined): unknown => {
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, inner]) => [key, plain(inner)]))
  return Array.isArray(value) ? value.map(plain) : value
}

describe('front matter', () => {
  it.each(golden('front-matter'))('[AC-3.3] %s', (_, text, { fields, texts = {}, body }) => {
    const read = readFrontMatter(text)!
    expect(plain(new Map([...read.fields].map(([key, field]) => [key, field.value])))).toEqual(fields)
    for (const [key, expected] of Object.entries(texts as object)) expect(read.fields.get(key)?.text).toBe(expected)
    expect(text.slice(read.bodyStart)).toBe(body as string)
    expect([...readFrontMatterBytes(Buffer.from(text))!.fields.keys()]).toEqual([...read.fields.keys()])
  })

  it.each(golden('front-matter'))('[AC-3.2b] %s: a new status changes one word', (_, text) => {
    expect(editFields(text, { status: 'failed' })).toBe(text.replace('pending', 'failed'))
  })

  it.each(golden('front-matter-rejected'))('%s', (_, text, { code, line }) => {
    expect(() => readFrontMatter(text)).toThrow(
      expect.objectContaining({ code, details: expect.objectContaining({ line }) }),
    )
  })
})

describe('header Markdown', () => {
  it.each(golden('header-markdown'))('%s', (_, text, meaning) => {
    const read = parseHeaderMarkdown(text)
    expect({ ...read, headers: Object.fromEntries(read.headers) }).toEqual(meaning as never)
    expect(printHeaderMarkdown(read)).toBe(text)
  })
})
