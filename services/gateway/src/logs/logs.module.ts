import { Module } from '@nestjs/common';
import { LogBundle } from './log-bundle';
import { LogsController } from './logs.controller';

@Module({
  controllers: [LogsController],
  providers: [LogBundle],
})
export class LogsModule {}
