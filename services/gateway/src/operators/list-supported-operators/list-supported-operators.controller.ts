import { Controller, Get } from '@nestjs/common';
import { OPERATOR_NAMES } from '@muster/operators';
import { Accepts, OnlyRoles } from '../../auth/accepts.decorator';

@Controller('v2/supported-operators')
export class ListSupportedOperatorsController {
  @Get()
  @OnlyRoles('admin', 'user')
  @Accepts('userAuth')
  handle(): readonly string[] {
    return [...OPERATOR_NAMES].sort();
  }
}
