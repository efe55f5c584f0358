import { assert, integer, property } from 'fast-check';
import { parseByteRanges, planResponse } from './plan-response';

const thing = { size: 1_000, etag: '"abc"', modifiedMs: Date.UTC(2026, 0, 1, 0, 0, 0, 500) };
const modified = new Date(thing.modifiedMs).toUTCString();

describe('a Range header', () => {
  it.each([
    ['bytes=0-0', [{ offset: 0, length: 1 }]],
    ['bytes=990-', [{ offset: 990, length: 10 }]],
    ['bytes=-10', [{ offset: 990, length: 10 }]],
    ['bytes=-5000', [{ offset: 0, length: 1_000 }]],
    ['bytes=990-5000', [{ offset: 990, length: 10 }]],
    [
      'BYTES=1-2, 5-6',
      [
        { offset: 1, length: 2 },
        { offset: 5, length: 2 },
      ],
    ],
    ['bytes=1-2,5000-', [{ offset: 1, length: 2 }]],
    ['bytes=1000-', 'unsatisfiable'],
    ['bytes=-0', 'unsatisfiable'],
    ['bytes=5-1', undefined],
    ['bytes=', undefined],
    ['bytes=-', undefined],
    ['bytes=a-b', undefined],
    ['bytes=1-2,x', undefined],
    ['items=1-2', undefined],
    [`bytes=${'0-1,'.repeat(16)}0-1`, undefined],
    ['bytes=99999999999999999999-', 'unsatisfiable'],
    ['bytes=0-,0-', undefined],
    [
      'bytes=500-,0-499',
      [
        { offset: 500, length: 500 },
        { offset: 0, length: 500 },
      ],
    ],
  ])('%s', (header, expected) => {
    expect(parseByteRanges(header, 1_000)).toEqual(expected);
  });

  it('never gives a range outside of the file', () => {
    assert(
      property(
        integer({ min: 0, max: 2_000 }),
        integer({ min: 0, max: 2_000 }),
        integer({ min: 0, max: 1_500 }),
        (a, b, size) => {
          for (const header of [`bytes=${a}-${b}`, `bytes=${a}-`, `bytes=-${b}`]) {
            const ranges = parseByteRanges(header, size);
            if (ranges === undefined || ranges === 'unsatisfiable') continue;
            for (const { offset, length } of ranges) {
              expect(length).toBeGreaterThan(0);
              expect(offset).toBeGreaterThanOrEqual(0);
              expect(offset + length).toBeLessThanOrEqual(size);
            }
          }
        },
      ),
    );
  });
});

describe('a request with conditions', () => {
  it.each([
    [{}, 200],
    [{ range: 'bytes=0-9' }, 206],
    [{ range: 'bytes=0-9', 'if-range': '"abc"' }, 206],
    [{ range: 'bytes=0-9', 'if-range': 'W/"abc"' }, 200],
    [{ range: 'bytes=0-9', 'if-range': '"other"' }, 200],
    [{ range: 'bytes=0-9', 'if-range': modified }, 206],
    [{ range: 'bytes=0-9', 'if-range': new Date(thing.modifiedMs + 5_000).toUTCString() }, 200],
    [{ range: 'bytes=0-9', 'if-range': 'nonsense' }, 200],
    [{ range: 'bytes=2000-' }, 416],
    [{ 'if-match': '"abc"' }, 200],
    [{ 'if-match': '"other", "abc"', range: 'bytes=0-9' }, 206],
    [{ 'if-match': '*' }, 200],
    [{ 'if-match': 'W/"abc"' }, 412],
    [{ 'if-match': '"other"', range: 'bytes=0-9' }, 412],
    [{ 'if-match': '"other"', 'if-none-match': '"abc"' }, 412],
    [{ 'if-unmodified-since': modified }, 200],
    [{ 'if-unmodified-since': new Date(thing.modifiedMs - 5_000).toUTCString() }, 412],
    [{ 'if-unmodified-since': new Date(thing.modifiedMs - 5_000).toUTCString(), 'if-match': '"abc"' }, 200],
    [{ 'if-unmodified-since': 'nonsense' }, 200],
    [{ 'if-none-match': '"abc"' }, 304],
    [{ 'if-none-match': 'W/"abc"' }, 304],
    [{ 'if-none-match': '*' }, 304],
    [{ 'if-none-match': '"other"', 'if-modified-since': modified }, 200],
    [{ 'if-modified-since': modified }, 304],
    [{ 'if-modified-since': 'nonsense' }, 200],
    [{ 'if-none-match': '"abc"', range: 'bytes=0-9' }, 304],
  ])('%j is answered with %i', (headers, status) => {
    expect(planResponse(headers, thing).status).toBe(status);
  });

  it.each([
    [{}, 200],
    [{ 'if-modified-since': modified }, 200],
    [{ 'if-unmodified-since': new Date(-5_000).toUTCString() }, 200],
    [{ range: 'bytes=0-9', 'if-range': new Date(0).toUTCString() }, 200],
    [{ 'if-none-match': '"abc"' }, 304],
  ])('%j is answered with %i and without a date for a file whose time is unknown', (conditions, status) => {
    const plan = planResponse(conditions, { ...thing, modifiedMs: 0 });
    expect([plan.status, plan.headers['last-modified']]).toEqual([status, undefined]);
  });

  it.each([
    [{}, true],
    [{ range: 'bytes=500-' }, true],
    [{ range: 'bytes=500-999' }, false],
    [{ range: 'bytes=-10' }, false],
    [{ range: 'bytes=0-9,500-' }, false],
  ])('%j completes a download: %s', (headers, isLastPart) => {
    expect(planResponse(headers, thing).isLastPart).toBe(isLastPart);
  });

  it('has a Content-Length equal to the number of bytes sent', () => {
    for (const range of [undefined, 'bytes=5-9', 'bytes=5-9,20-29', 'bytes=-1,-2,-3']) {
      const { headers, body } = planResponse({ range }, thing);
      const length = body.reduce((sum, part) => sum + ('text' in part ? Buffer.byteLength(part.text) : part.length), 0);
      expect(headers['content-length']).toBe(String(length));
    }
  });
});
