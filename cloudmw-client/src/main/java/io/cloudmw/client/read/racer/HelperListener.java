package io.cloudmw.client.read.racer;

import io.cloudmw.client.progress.Attempt;
import io.cloudmw.client.rpc.link.TransferEvents;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.race.BlockId;
import io.cloudmw.core.race.RacerId;
import java.util.concurrent.Executor;

/**
 * A listener that passes one helper's events to the transfer, on the transfer's executor.
 *
 * @param helper the helper's first racer
 */
public record HelperListener(RacerId helper, String name, Executor serial, RacerEvents events)
        implements TransferEvents {
    @Override
    public void attempted(RacerId racer, BlockId block, Report report) {
        serial.execute(() -> events.attempted(
                racer,
                block,
                new Attempt(
                        events.chunkOf(block),
                        block.value(),
                        name,
                        report.store(),
                        report.number(),
                        report.state(),
                        report.bytes(),
                        report.error())));
    }

    @Override
    public void waits(RacerId racer, BlockId block) {
        serial.execute(() -> events.waits(racer, block));
    }

    @Override
    public void lost(RacerId racer, BlockId block, RacerId winner) {
        serial.execute(() -> events.lost(racer, block, winner));
    }

    @Override
    public void forfeited(RacerId racer, BlockId block, CloudMwException cause) {
        serial.execute(() -> {
            cause.retryAfter().ifPresent(events::roomAfter);
            events.forfeited(racer, block, cause.code());
        });
    }

    @Override
    public void faulted(ChunkId chunk, StoreId store, ErrorCode code) {
        serial.execute(() -> events.faulted(chunk, store, code));
    }

    @Override
    public void checked(BlockId block) {
        serial.execute(() -> events.checked(block));
    }

    @Override
    public void gone(CloudMwException why) {
        serial.execute(() -> {
            why.retryAfter().ifPresent(events::roomAfter);
            events.gone(helper, why);
        });
    }
}
