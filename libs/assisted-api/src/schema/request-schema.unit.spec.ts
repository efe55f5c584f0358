import {
  Choice,
  FreeObject,
  ListOf,
  Part,
  Parts,
  Text,
  textValidator,
  Uuid,
  Whole,
} from '../requests/field.decorators';
import { QueryFlag, QueryList, QueryWhole } from '../requests/query.decorators';
import { requestFields, requestSchema } from './request-schema';

class Lid {
  @Text({ pattern: /^[a-z]+$/ }) readonly colour?: string;
}

class Box {
  @Uuid({ required: true }) readonly serial!: string;
  @Choice(['round', 'square'], { fallback: 'square' }) readonly form?: string;
}

class BigBox extends Box {
  @Whole({ min: 1, max: 9, required: true }) readonly depth!: number;
  @Part(Lid) readonly lid?: Lid;
  @Parts(Lid) readonly lids?: readonly Lid[];
  @ListOf(textValidator({ maxLength: 3 })) readonly marks?: readonly string[];
  @FreeObject() readonly stuff?: object;
}

class BoxQuery {
  @QueryFlag({ fallback: false }) readonly open?: boolean;
  @QueryWhole() readonly depth?: number;
  @QueryList() readonly marks?: readonly string[];
}

const LID = {
  title: 'Lid',
  type: 'object',
  properties: { colour: { type: 'string', maxLength: 16_384, pattern: '^[a-z]+$' } },
  additionalProperties: false,
};

describe('The schema of a request class', () => {
  it('tells what its decorators ask for, with what it extends', () => {
    expect(requestSchema(BigBox)).toEqual({
      title: 'BigBox',
      type: 'object',
      properties: {
        serial: { type: 'string', format: 'uuid' },
        form: { type: 'string', enum: ['round', 'square'], default: 'square' },
        depth: { type: 'integer', minimum: 1, maximum: 9 },
        lid: LID,
        lids: { type: 'array', maxItems: 1_000, items: LID },
        marks: { type: 'array', maxItems: 1_000, items: { type: 'string', maxLength: 3 } },
        stuff: { type: 'object', additionalProperties: true },
      },
      required: ['serial', 'depth'],
      additionalProperties: false,
    });
  });

  it('is not changed by a class that extends it', () => {
    expect(requestFields(Box).map(({ name }) => name)).toEqual(['serial', 'form']);
  });

  it('tells of parameters', () => {
    expect(requestFields(BoxQuery).map(({ name, schema }) => [name, schema()])).toEqual([
      ['open', { type: 'boolean', default: false }],
      ['depth', { type: 'integer' }],
      ['marks', { type: 'array', maxItems: 1_000, items: { type: 'string', maxLength: 16_384 } }],
    ]);
  });
});
