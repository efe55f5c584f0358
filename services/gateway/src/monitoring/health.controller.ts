import { Controller, Get, HttpCode, Res } from '@nestjs/common';
import { flag, list, record, type Static, text } from '@muster/assisted-api';
import { Readiness } from '@muster/nest-kit';
import type { FastifyReply } from 'fastify';
import { AcceptsAnyone } from '../auth/accepts.decorator';
import { Answers, AnswersNothing } from '../api-document/answers.decorator';

const READINESS = record('readiness', {
  ready: flag(),
  not_ready: list(record('part-not-ready', { part: text(), reason: text() })),
});
type ReadinessReport = Static<typeof READINESS>;

@Controller()
export class HealthController {
  constructor(private readonly readiness: Readiness) {}

  /** The process answers. */
  @Get('health')
  @HttpCode(200)
  @AnswersNothing('Tells that the process answers.')
  @AcceptsAnyone()
  showHealth(): void {}

  /** 200 once every part can do its work, 503 with those that cannot. */
  @Get('ready')
  @Answers('Tells whether every part can do its work, and which cannot.', READINESS, {
    others: { 503: 'Some part cannot.' },
  })
  @AcceptsAnyone()
  showReadiness(@Res({ passthrough: true }) reply: FastifyReply): ReadinessReport {
    const parts = this.readiness.notReady();
    void reply.status(parts.length === 0 ? 200 : 503);
    return { ready: parts.length === 0, not_ready: parts };
  }
}
