import type { Type } from '@nestjs/common';
import { NextStepsController } from './next-steps/next-steps.controller';
import { RegisterHostController } from './register-host/register-host.controller';
import { ReplyToStepController } from './reply-to-step/reply-to-step.controller';
import { ReportProgressController } from './report-progress/report-progress.controller';

export const AGENT_CONTROLLERS: readonly Type[] = [
  NextStepsController,
  RegisterHostController,
  ReplyToStepController,
  ReportProgressController,
];
