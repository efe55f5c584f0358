import {
  anything,
  choice,
  dictionary,
  flag,
  list,
  maybe,
  orNull,
  record,
  type Static,
  text,
  whole,
} from './answer-schema';

const LID = record('lid', { colour: choice(['red', 'green']) });
const BOX = record('box', {
  lid: LID,
  spare: orNull(LID),
  marks: maybe(list(text())),
  depth: whole({ minimum: 1 }),
  counts: dictionary(whole()),
  rest: anything(),
});

describe('The schema of an answer', () => {
  it('is that of the type which follows from it', () => {
    const box: Static<typeof BOX> = {
      lid: { colour: 'red' },
      spare: null,
      depth: 1,
      counts: { a: 1 },
      rest: { b: flag },
    };
    expect(Object.keys(box)).toEqual(BOX.json.required);
    // @ts-expect-error: no lid has that colour
    const lid: Static<typeof LID> = { colour: 'blue' };
    expect(LID.json.properties?.['colour']?.enum).not.toContain(lid.colour);
  });

  it('names what is always there, and what has a name', () => {
    const properties = { colour: { type: 'string', enum: ['red', 'green'] } };
    expect(LID.json).toEqual({ title: 'lid', type: 'object', properties, required: ['colour'] });
    expect(BOX.json).toEqual({
      title: 'box',
      type: 'object',
      properties: {
        lid: LID.json,
        spare: { type: 'object', properties, required: ['colour'], nullable: true },
        marks: { type: 'array', items: { type: 'string' } },
        depth: { type: 'integer', minimum: 1 },
        counts: { type: 'object', additionalProperties: { type: 'integer' } },
        rest: { type: 'object', additionalProperties: true },
      },
      required: ['lid', 'spare', 'depth', 'counts', 'rest'],
    });
  });
});
