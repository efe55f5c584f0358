import { Controller, RequestMapping, RequestMethod, type Type } from '@nestjs/common';
import { RefusalError } from '@muster/problems';
import { AnswersRefusal } from '../api-document/answers.decorator';
import { Accepts, OnlyRoles } from '../auth/accepts.decorator';
import { pathNote } from '../http/parameters.decorators';
import { OPEN_OPERATIONS, type OpenOperation } from './open-operations';

/** One controller per row: the operation is known, its answer says what is missing. */
export const OPEN_OPERATION_CONTROLLERS: readonly Type[] = OPEN_OPERATIONS.map(toController);

function toController({ method, path, code, reason, roles }: OpenOperation): Type {
  class OpenOperationController {
    handle(): never {
      throw new RefusalError({ code, reason });
    }
  }
  const handle = Object.getOwnPropertyDescriptor(OpenOperationController.prototype, 'handle') ?? {};
  RequestMapping({ method: RequestMethod[method], path: '/' })(OpenOperationController.prototype, 'handle', handle);
  Accepts('userAuth')(OpenOperationController.prototype, 'handle', handle);
  AnswersRefusal(reason)(OpenOperationController.prototype, 'handle', handle);
  for (const [, name = ''] of path.matchAll(/:(\w+)/g))
    pathNote(name, { type: 'string', format: 'uuid' })(OpenOperationController.prototype, 'handle', handle);
  if (roles) OnlyRoles(...roles)(OpenOperationController.prototype, 'handle', handle);
  Object.defineProperty(OpenOperationController, 'name', { value: nameOf(path) });
  Controller(path)(OpenOperationController);
  return OpenOperationController;
}

/** `…/downloads/files-presigned` is `FilesPresigned`: what the document calls the operation. */
function nameOf(path: string): string {
  return (path.split('/').at(-1) ?? '').replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());
}
