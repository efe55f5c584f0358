import { Type } from '@sinclair/typebox';
import { Dictionary, FreeObject, Nullable, type Static, StringEnum } from './answer-schema';

const LID = Type.Object({ colour: StringEnum(['red', 'green']) }, { title: 'lid' });
const BOX = Type.Object(
  {
    lid: LID,
    spare: Nullable(LID),
    marks: Type.Optional(Type.Array(Type.String())),
    counts: Dictionary(Type.Integer()),
    rest: FreeObject(),
  },
  { title: 'box' },
);
const plain = (schema: object): unknown => JSON.parse(JSON.stringify(schema));

describe('schema of a response', () => {
  it('determines the type of the response', () => {
    const box: Static<typeof BOX> = { lid: { colour: 'red' }, spare: null, counts: { a: 1 }, rest: { b: 1 } };
    expect(Object.keys(box)).toEqual(BOX.required);
    // @ts-expect-error: no lid has that colour
    const lid: Static<typeof LID> = { colour: 'blue' };
    expect(LID.properties.colour['enum']).not.toContain(lid.colour);
  });

  it('has the form of OpenAPI 3.0', () => {
    const properties = { colour: { type: 'string', enum: ['red', 'green'] } };
    const lid = { title: 'lid', type: 'object', properties, required: ['colour'] };
    expect(plain(BOX)).toEqual({
      title: 'box',
      type: 'object',
      properties: {
        lid,
        spare: { type: 'object', properties, required: ['colour'], nullable: true },
        marks: { type: 'array', items: { type: 'string' } },
        counts: { type: 'object', additionalProperties: { type: 'integer' } },
        rest: { type: 'object', additionalProperties: true },
      },
      required: ['lid', 'spare', 'counts', 'rest'],
    });
  });
});
