import { isTrueText } from '@muster/assisted-api';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { RefusalError } from '@muster/problems';
import type { FastifyRequest } from 'fastify';
import { documented, headerNote } from '../http/headers.decorators';
import { ADMIN, type Caller } from './caller';

const HEADER = 'get_unregistered_clusters';

const readWithDeleted = createParamDecorator((_: unknown, context: ExecutionContext): boolean => {
  const { headers, caller = ADMIN } = context.switchToHttp().getRequest<FastifyRequest>();
  if (!isTrueText(headers[HEADER])) return false;
  if (seesWhatOthersMade(caller)) return true;
  throw new RefusalError({
    code: 'forbidden',
    reason: `Only administrators can list deleted clusters. Omit the header ${HEADER}.`,
    subject: HEADER,
  });
});

/** Whether deleted resources are requested as well. @throws RefusalError `forbidden` for callers that are not administrators. */
export const WithDeleted = (): ParameterDecorator =>
  documented(readWithDeleted(), headerNote(HEADER, { type: 'boolean', default: false }));

const seesWhatOthersMade = ({ kind, role }: Caller): boolean => kind === 'user' && role !== 'user';
