import { Controller, Get, HttpCode, Res } from '@nestjs/common';
import { Type } from '@sinclair/typebox';
import { type Static } from '@muster/assisted-api';
import { Readiness } from '@muster/nest-kit';
import type { FastifyReply } from 'fastify';
import { AcceptsAnyone } from '../auth/accepts.decorator';
import { Answers, AnswersNothing } from '../api-document/answers.decorator';

const READINESS = Type.Object(
  {
    ready: Type.Boolean(),
    not_ready: Type.Array(Type.Object({ part: Type.String(), reason: Type.String() }, { title: 'part-not-ready' })),
  },
  { title: 'readiness' },
);
type ReadinessReport = Static<typeof READINESS>;

@Controller()
export class HealthController {
  constructor(private readonly readiness: Readiness) {}

  /** The process answers. */
  @Get('health')
  @HttpCode(200)
  @AnswersNothing('Check that the process answers.')
  @AcceptsAnyone()
  showHealth(): void {}

  /** 200 once every part can do its work, 503 with those that cannot. */
  @Get('ready')
  @Answers('Check that every part of the service is ready, and list those that are not.', READINESS, {
    others: { 503: 'Some part cannot.' },
  })
  @AcceptsAnyone()
  showReadiness(@Res({ passthrough: true }) reply: FastifyReply): ReadinessReport {
    const parts = this.readiness.notReady();
    void reply.status(parts.length === 0 ? 200 : 503);
    return { ready: parts.length === 0, not_ready: parts };
  }
}
