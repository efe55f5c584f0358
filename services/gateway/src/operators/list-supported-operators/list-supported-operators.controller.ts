import { Controller, Get } from '@nestjs/common';
import { choice, list } from '@muster/assisted-api';
import { OPERATOR_NAMES } from '@muster/operators';
import { Answers } from '../../api-document/answers.decorator';
import { Accepts, OnlyRoles } from '../../auth/accepts.decorator';

@Controller('v2/supported-operators')
export class ListSupportedOperatorsController {
  @Get()
  @Answers('Lists the operators that a cluster can be installed with.', list(choice<string>(OPERATOR_NAMES)))
  @OnlyRoles('admin', 'user')
  @Accepts('userAuth')
  handle(): readonly string[] {
    return [...OPERATOR_NAMES].sort();
  }
}
