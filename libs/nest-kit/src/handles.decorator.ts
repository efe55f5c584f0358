import { applyDecorators } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import { subjectOfMethod } from '@muster/contracts';
import type { DescMethod } from '@bufbuild/protobuf';

/** The controller method handles this method of proto/muster/v1: `(@Payload() request: Plain message, @Ctx() context: CommandContext) => Plain response`. */
export function Handles(method: DescMethod): MethodDecorator {
  return applyDecorators(MessagePattern(subjectOfMethod(method)));
}
