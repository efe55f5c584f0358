import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsObject,
  IsOptional,
  IsString,
  IsUUID,
  Matches,
  Max,
  MaxLength,
  Min,
} from 'class-validator';
import { Defaults, Nested, NestedList, ToBoolean, ToList } from '../requests/field.decorators';
import { fieldSchema, requestFields, requestSchema } from './request-schema';

class Lid {
  @IsOptional() @Matches(/^[a-z]+$/) @MaxLength(9) @IsString() readonly colour?: string;
}

@Defaults({ form: 'square' })
class Box {
  @IsUUID('loose') readonly serial!: string;
  @IsOptional() @IsIn(['round', 'square']) readonly form?: string;
}

class BigBox extends Box {
  @Max(9) @Min(1) @IsInt() readonly depth!: number;
  @IsOptional() @Nested(() => Lid) readonly lid?: Lid;
  @IsOptional() @NestedList(() => Lid) readonly lids?: readonly Lid[];
  @IsOptional()
  @MaxLength(3, { each: true })
  @IsString({ each: true })
  @ArrayMaxSize(5)
  @IsArray()
  readonly marks?: readonly string[];
  @IsOptional() @IsObject() readonly stuff?: object;
}

class BoxQuery {
  @IsOptional() @IsBoolean() @ToBoolean() readonly open?: boolean;
  @IsOptional() @IsString({ each: true }) @IsArray() @ToList() readonly marks?: readonly string[];
}

const LID = {
  title: 'Lid',
  type: 'object',
  properties: { colour: { type: 'string', maxLength: 9, pattern: '^[a-z]+$' } },
  additionalProperties: false,
};

describe('schema of a request class', () => {
  it('is created from the validation decorators of the class and its base class', () => {
    expect(requestSchema(BigBox)).toEqual({
      title: 'BigBox',
      type: 'object',
      properties: {
        serial: { type: 'string', format: 'uuid' },
        form: { type: 'string', enum: ['round', 'square'], default: 'square' },
        depth: { type: 'integer', minimum: 1, maximum: 9 },
        lid: LID,
        lids: { type: 'array', maxItems: 1_000, items: LID },
        marks: { type: 'array', maxItems: 5, items: { type: 'string', maxLength: 3 } },
        stuff: { type: 'object', additionalProperties: true },
      },
      required: expect.arrayContaining(['serial', 'depth']),
      additionalProperties: false,
    });
  });

  it('of a base class is not changed by a derived class', () => {
    expect([...requestFields(Box).keys()]).toEqual(['serial', 'form']);
  });

  it('describes the parameters of a query', () => {
    expect([...requestFields(BoxQuery).values()].map((field) => [field.name, fieldSchema(field)])).toEqual([
      ['open', { type: 'boolean' }],
      ['marks', { type: 'array', items: { type: 'string' } }],
    ]);
  });
});
