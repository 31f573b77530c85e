/**
 * The arithmetic of the model, in AssemblyScript: `scripts/build.mjs` compiles it to WebAssembly. It has no runtime and
 * allocates nothing; `encoder.ts` lays out the memory and passes addresses.
 *
 * The same text gives the same bits on every machine: sums of products are whole numbers, `exp` and the error function
 * are made of additions and multiplications, and no relaxed instruction is used.
 *
 * A matrix of activations has a row of 32-bit floats for each token. A matrix of weights has a row of signed bytes and
 * one scale for each output.
 */

const heads = 12
/** Numbers of one token that one head looks at. */
const headSize = 32
const width = heads * headSize
/** 1 / sqrt(headSize) */
const attentionScale: f32 = 0.17677669529663687
/** Activations become whole numbers up to this. The sum of 1,536 products with a signed byte then fits into 32 bits. */
const largest: f32 = 16383
const masked: f32 = -1e30

function floats(count: i32): usize {
  return (count as usize) << 2
}

/** Writes the 384 numbers of one token: 4-bit numbers in groups of 32 with a 16-bit scale each, and those of its place. */
export function writeToken(to: usize, word: usize, wordScales: usize, place: usize, placeScale: f32): void {
  for (let i = 0; i < width; i += 2) {
    const scale = halfFloat(load<u16>(wordScales + (((i >> 5) as usize) << 1)))
    const pair = load<i8>(word + ((i >> 1) as usize)) as i32
    const low = ((pair << 28) >> 28) as f32
    const high = (pair >> 4) as f32
    const at = to + floats(i)
    store<f32>(at, low * scale + (load<i8>(place + (i as usize)) as f32) * placeScale)
    store<f32>(at, high * scale + (load<i8>(place + (i as usize), 1) as f32) * placeScale, 4)
  }
}

/** A positive 16-bit float. */
function halfFloat(bits: u32): f32 {
  const exponent = bits >> 10
  const fraction = bits & 1023
  if (exponent === 0) return (fraction as f32) * reinterpret<f32>((127 - 24) << 23)
  return reinterpret<f32>(((exponent + 112) << 23) | (fraction << 13))
}

/** Rows of floats to rows of 16-bit whole numbers, with a scale a row. `size` is a multiple of 8. */
export function quantize(from: usize, to: usize, scales: usize, rows: i32, size: i32): void {
  for (let row = 0; row < rows; row++) {
    const source = from + floats(row * size)
    const target = to + (((row * size) as usize) << 1)
    let most4 = f32x4.splat(0)
    for (let i = 0; i < size; i += 4) most4 = f32x4.max(most4, f32x4.abs(v128.load(source + floats(i))))
    let most = max<f32>(
      max<f32>(f32x4.extract_lane(most4, 0), f32x4.extract_lane(most4, 1)),
      max<f32>(f32x4.extract_lane(most4, 2), f32x4.extract_lane(most4, 3)),
    )
    if (most === 0) most = 1
    store<f32>(scales + floats(row), most / largest)
    const factor = f32x4.splat(largest / most)
    for (let i = 0; i < size; i += 8) {
      const at = source + floats(i)
      const first = i32x4.trunc_sat_f32x4_s(f32x4.nearest(f32x4.mul(v128.load(at), factor)))
      const second = i32x4.trunc_sat_f32x4_s(f32x4.nearest(f32x4.mul(v128.load(at, 16), factor)))
      v128.store(target + ((i as usize) << 1), i16x8.narrow_i32x4_s(first, second))
    }
  }
}

/**
 * to[row][output] = sum over i of from[row][i] * weights[output][i], scaled, plus the bias. Four rows and two outputs at a
 * time, so that each number that is loaded is used several times. `rows` is a multiple of 4, `outputs` of 2, `size` of 8.
 */
export function multiply(
  from: usize,
  scales: usize,
  weights: usize,
  weightScales: usize,
  bias: usize,
  to: usize,
  rows: i32,
  size: i32,
  outputs: i32,
): void {
  const rowBytes = (size as usize) << 1
  for (let output = 0; output < outputs; output += 2) {
    const one = weights + ((output * size) as usize)
    const two = one + (size as usize)
    const scale1 = load<f32>(weightScales + floats(output))
    const scale2 = load<f32>(weightScales + floats(output), 4)
    const bias1 = load<f32>(bias + floats(output))
    const bias2 = load<f32>(bias + floats(output), 4)
    for (let row = 0; row < rows; row += 4) {
      const source = from + (row as usize) * rowBytes
      let a1 = i32x4.splat(0)
      let a2 = i32x4.splat(0)
      let b1 = i32x4.splat(0)
      let b2 = i32x4.splat(0)
      let c1 = i32x4.splat(0)
      let c2 = i32x4.splat(0)
      let d1 = i32x4.splat(0)
      let d2 = i32x4.splat(0)
      for (let i: usize = 0; i < (size as usize); i += 8) {
        const w1 = v128.load_ext<i8>(one + i)
        const w2 = v128.load_ext<i8>(two + i)
        const at = source + (i << 1)
        const a = v128.load(at)
        const b = v128.load(at + rowBytes)
        const c = v128.load(at + 2 * rowBytes)
        const d = v128.load(at + 3 * rowBytes)
        a1 = i32x4.add(a1, i32x4.dot_i16x8_s(a, w1))
        a2 = i32x4.add(a2, i32x4.dot_i16x8_s(a, w2))
        b1 = i32x4.add(b1, i32x4.dot_i16x8_s(b, w1))
        b2 = i32x4.add(b2, i32x4.dot_i16x8_s(b, w2))
        c1 = i32x4.add(c1, i32x4.dot_i16x8_s(c, w1))
        c2 = i32x4.add(c2, i32x4.dot_i16x8_s(c, w2))
        d1 = i32x4.add(d1, i32x4.dot_i16x8_s(d, w1))
        d2 = i32x4.add(d2, i32x4.dot_i16x8_s(d, w2))
      }
      const scaleAt = scales + floats(row)
      const step = floats(outputs)
      const target = to + floats(row * outputs + output)
      const scaleA = load<f32>(scaleAt)
      const scaleB = load<f32>(scaleAt, 4)
      const scaleC = load<f32>(scaleAt, 8)
      const scaleD = load<f32>(scaleAt, 12)
      store<f32>(target, (sumOf(a1) as f32) * (scaleA * scale1) + bias1)
      store<f32>(target, (sumOf(a2) as f32) * (scaleA * scale2) + bias2, 4)
      store<f32>(target + step, (sumOf(b1) as f32) * (scaleB * scale1) + bias1)
      store<f32>(target + step, (sumOf(b2) as f32) * (scaleB * scale2) + bias2, 4)
      store<f32>(target + 2 * step, (sumOf(c1) as f32) * (scaleC * scale1) + bias1)
      store<f32>(target + 2 * step, (sumOf(c2) as f32) * (scaleC * scale2) + bias2, 4)
      store<f32>(target + 3 * step, (sumOf(d1) as f32) * (scaleD * scale1) + bias1)
      store<f32>(target + 3 * step, (sumOf(d2) as f32) * (scaleD * scale2) + bias2, 4)
    }
  }
}

function sumOf(four: v128): i32 {
  return (
    i32x4.extract_lane(four, 0) +
    i32x4.extract_lane(four, 1) +
    i32x4.extract_lane(four, 2) +
    i32x4.extract_lane(four, 3)
  )
}

function sumOfFloats(four: v128): f32 {
  return (
    f32x4.extract_lane(four, 0) +
    f32x4.extract_lane(four, 1) +
    f32x4.extract_lane(four, 2) +
    f32x4.extract_lane(four, 3)
  )
}

/** Adds one matrix to another, then brings each row to mean 0 and variance 1, times `gain`, plus `bias`. */
export function addAndNormalize(to: usize, added: usize, gain: usize, bias: usize, rows: i32): void {
  const bytes = floats(width)
  for (let row = 0; row < rows; row++) {
    const target = to + (row as usize) * bytes
    const source = added + (row as usize) * bytes
    let sum: f64 = 0
    for (let at: usize = 0; at < bytes; at += 4) {
      const value = load<f32>(target + at) + load<f32>(source + at)
      store<f32>(target + at, value)
      sum += value as f64
    }
    const mean = (sum / width) as f32
    let squares: f64 = 0
    for (let at: usize = 0; at < bytes; at += 4) {
      const off = (load<f32>(target + at) - mean) as f64
      squares += off * off
    }
    const factor = (1 / Math.sqrt(squares / width + 1e-12)) as f32
    for (let at: usize = 0; at < bytes; at += 4) {
      const value = (load<f32>(target + at) - mean) * factor
      store<f32>(target + at, value * load<f32>(gain + at) + load<f32>(bias + at))
    }
  }
}

/** e to the power of each, with a relative error of about 2e-7: 2 to a whole power, times a polynomial for the rest. */
function exponential(power: v128): v128 {
  const bounded = f32x4.min(f32x4.max(power, f32x4.splat(-87)), f32x4.splat(87))
  const whole = f32x4.nearest(f32x4.mul(bounded, f32x4.splat(Math.LOG2E as f32)))
  // ln 2 in two parts, so that little is lost.
  const high = f32x4.sub(bounded, f32x4.mul(whole, f32x4.splat(0.693359375)))
  const rest = f32x4.sub(high, f32x4.mul(whole, f32x4.splat(-2.1219444e-4)))
  let value = f32x4.splat(1.98756915e-4)
  value = f32x4.add(f32x4.mul(value, rest), f32x4.splat(1.3981999507e-3))
  value = f32x4.add(f32x4.mul(value, rest), f32x4.splat(8.3334519073e-3))
  value = f32x4.add(f32x4.mul(value, rest), f32x4.splat(4.1665795894e-2))
  value = f32x4.add(f32x4.mul(value, rest), f32x4.splat(1.6666665459e-1))
  value = f32x4.add(f32x4.mul(value, rest), f32x4.splat(5.0000001201e-1))
  value = f32x4.add(f32x4.add(f32x4.mul(value, f32x4.mul(rest, rest)), rest), f32x4.splat(1))
  const twoToWhole = i32x4.shl(i32x4.add(i32x4.trunc_sat_f32x4_s(whole), i32x4.splat(127)), 23)
  return f32x4.mul(value, twoToWhole)
}

/** GELU of each number, in place. The error function after Abramowitz and Stegun, 7.1.26. `count` is a multiple of 4. */
export function activate(at: usize, count: i32): void {
  const one = f32x4.splat(1)
  const end = at + floats(count)
  for (let place = at; place < end; place += 16) {
    const x = v128.load(place)
    const z = f32x4.mul(f32x4.abs(x), f32x4.splat(Math.SQRT1_2 as f32))
    const t = f32x4.div(one, f32x4.add(one, f32x4.mul(z, f32x4.splat(0.3275911))))
    let sum = f32x4.splat(1.061405429)
    sum = f32x4.add(f32x4.mul(sum, t), f32x4.splat(-1.453152027))
    sum = f32x4.add(f32x4.mul(sum, t), f32x4.splat(1.421413741))
    sum = f32x4.add(f32x4.mul(sum, t), f32x4.splat(-0.284496736))
    sum = f32x4.add(f32x4.mul(sum, t), f32x4.splat(0.254829592))
    const error = f32x4.sub(one, f32x4.mul(f32x4.mul(sum, t), exponential(f32x4.neg(f32x4.mul(z, z)))))
    const signed = v128.bitselect(f32x4.neg(error), error, f32x4.lt(x, f32x4.splat(0)))
    v128.store(place, f32x4.mul(f32x4.mul(x, f32x4.splat(0.5)), f32x4.add(one, signed)))
  }
}

/** Attention of all heads. `scores` has room for `padded` floats; `padded` is `tokens`, rounded up to a multiple of 4. */
export function attend(
  queries: usize,
  keys: usize,
  values: usize,
  to: usize,
  scores: usize,
  tokens: i32,
  padded: i32,
): void {
  const row = floats(width)
  for (let head = 0; head < heads; head++) {
    const part = floats(head * headSize)
    for (let token = 0; token < tokens; token++) {
      const best = scoreKeys(queries + (token as usize) * row + part, keys + part, scores, tokens)
      for (let other = tokens; other < padded; other++) store<f32>(scores + floats(other), masked)
      let sum = f32x4.splat(0)
      for (let other = 0; other < padded; other += 4) {
        const at = scores + floats(other)
        const share = exponential(f32x4.sub(v128.load(at), f32x4.splat(best)))
        v128.store(at, share)
        sum = f32x4.add(sum, share)
      }
      addValues(values + part, scores, 1 / sumOfFloats(sum), to + (token as usize) * row + part, tokens)
    }
  }
}

/** How well each key fits one query; answers the best. */
function scoreKeys(query: usize, keys: usize, scores: usize, tokens: i32): f32 {
  const q0 = v128.load(query)
  const q1 = v128.load(query, 16)
  const q2 = v128.load(query, 32)
  const q3 = v128.load(query, 48)
  const q4 = v128.load(query, 64)
  const q5 = v128.load(query, 80)
  const q6 = v128.load(query, 96)
  const q7 = v128.load(query, 112)
  let best = masked
  for (let other = 0; other < tokens; other++) {
    const key = keys + (other as usize) * floats(width)
    const a = f32x4.add(f32x4.mul(q0, v128.load(key)), f32x4.mul(q1, v128.load(key, 16)))
    const b = f32x4.add(f32x4.mul(q2, v128.load(key, 32)), f32x4.mul(q3, v128.load(key, 48)))
    const c = f32x4.add(f32x4.mul(q4, v128.load(key, 64)), f32x4.mul(q5, v128.load(key, 80)))
    const d = f32x4.add(f32x4.mul(q6, v128.load(key, 96)), f32x4.mul(q7, v128.load(key, 112)))
    const score = sumOfFloats(f32x4.add(f32x4.add(a, b), f32x4.add(c, d))) * attentionScale
    store<f32>(scores + floats(other), score)
    if (score > best) best = score
  }
  return best
}

/** The values of all tokens, each times its share. */
function addValues(values: usize, shares: usize, scale: f32, to: usize, tokens: i32): void {
  let s0 = f32x4.splat(0)
  let s1 = s0
  let s2 = s0
  let s3 = s0
  let s4 = s0
  let s5 = s0
  let s6 = s0
  let s7 = s0
  for (let other = 0; other < tokens; other++) {
    const share = f32x4.splat(load<f32>(shares + floats(other)) * scale)
    const value = values + (other as usize) * floats(width)
    s0 = f32x4.add(s0, f32x4.mul(share, v128.load(value)))
    s1 = f32x4.add(s1, f32x4.mul(share, v128.load(value, 16)))
    s2 = f32x4.add(s2, f32x4.mul(share, v128.load(value, 32)))
    s3 = f32x4.add(s3, f32x4.mul(share, v128.load(value, 48)))
    s4 = f32x4.add(s4, f32x4.mul(share, v128.load(value, 64)))
    s5 = f32x4.add(s5, f32x4.mul(share, v128.load(value, 80)))
    s6 = f32x4.add(s6, f32x4.mul(share, v128.load(value, 96)))
    s7 = f32x4.add(s7, f32x4.mul(share, v128.load(value, 112)))
  }
  v128.store(to, s0)
  v128.store(to, s1, 16)
  v128.store(to, s2, 32)
  v128.store(to, s3, 48)
  v128.store(to, s4, 64)
  v128.store(to, s5, 80)
  v128.store(to, s6, 96)
  v128.store(to, s7, 112)
}
