import type { ApiBodyOptions } from '@nestjs/swagger';
import type { JsonSchema } from '@muster/assisted-api';

type OpenApiSchema = Exclude<Extract<ApiBodyOptions, { schema: unknown }>['schema'], { $ref: string }>;

/** The framework's type has mutable lists; nothing changes them. */
export const toOpenApi = (schema: JsonSchema): OpenApiSchema => schema as OpenApiSchema;
