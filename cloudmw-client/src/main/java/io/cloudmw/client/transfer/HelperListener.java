package io.cloudmw.client.transfer;

import io.cloudmw.client.progress.Attempt;
import io.cloudmw.client.progress.AttemptState;
import io.cloudmw.client.rpc.HelperEvents;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ChunkId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.race.BlockId;
import io.cloudmw.core.race.RacerId;
import java.util.Optional;
import java.util.concurrent.Executor;

/** Passes what one helper says on to the transfer, on the transfer's executor. */
record HelperListener(RacerId racer, String name, Executor serial, RacerEvents events) implements HelperEvents {
    @Override
    public void attempted(
            BlockId block, int number, StoreId store, AttemptState state, long bytes, Optional<ErrorCode> error) {
        serial.execute(() -> events.attempted(
                racer,
                block,
                new Attempt(
                        events.chunkOf(block), block.value(), name, store, number, state, Math.max(0, bytes), error)));
    }

    @Override
    public void lost(BlockId block, RacerId winner) {
        serial.execute(() -> events.lost(racer, block, winner));
    }

    @Override
    public void forfeited(BlockId block, ErrorCode code) {
        serial.execute(() -> events.forfeited(racer, block, code));
    }

    @Override
    public void faulted(ChunkId chunk, StoreId store, ErrorCode code) {
        serial.execute(() -> events.faulted(chunk, store, code));
    }

    @Override
    public void gone(CloudMwException why) {
        serial.execute(() -> events.gone(racer, why));
    }
}
