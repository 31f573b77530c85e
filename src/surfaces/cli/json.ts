/**
 * One JSON document on one line. Characters that could control a terminal are escaped, too; the parsed values are the
 * same.
 */
const steering = /[\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g

export const printJson = (value: unknown): string =>
  `${JSON.stringify(value).replace(steering, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)}\n`
