package io.cloudmw.helper.rpc;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.race.BlockId;
import io.cloudmw.core.race.RacerId;
import io.cloudmw.core.race.RivalNotice;
import io.cloudmw.helper.compete.RivalMessage;
import io.cloudmw.proto.v1.CompeteMessage;

/** The translation between {@link RivalMessage} and the wire. */
final class RivalMessages {
    private RivalMessages() {}

    static CompeteMessage toWire(RivalMessage message) {
        CompeteMessage.Builder wire =
                CompeteMessage.newBuilder().setRacer(message.racer().rank());
        int block = message.block().value();
        switch (message.notice()) {
            case CLAIM -> wire.setClaimedBlock(block);
            case STARTED -> wire.setStartedBlock(block);
            case YIELD -> wire.setYieldedBlock(block);
            case FORFEIT -> wire.setForfeitedBlock(block);
        }
        return wire.build();
    }

    static RivalMessage fromWire(CompeteMessage wire) throws CloudMwException {
        return switch (wire.getMessageCase()) {
            case CLAIMED_BLOCK -> message(RivalNotice.CLAIM, wire.getClaimedBlock(), wire.getRacer());
            case STARTED_BLOCK -> message(RivalNotice.STARTED, wire.getStartedBlock(), wire.getRacer());
            case YIELDED_BLOCK -> message(RivalNotice.YIELD, wire.getYieldedBlock(), wire.getRacer());
            case FORFEITED_BLOCK -> message(RivalNotice.FORFEIT, wire.getForfeitedBlock(), wire.getRacer());
            case JOIN, MESSAGE_NOT_SET ->
                throw new CloudMwException(
                        ErrorCode.PROTOCOL_VIOLATION, "message of a rival: " + wire.getMessageCase());
        };
    }

    private static RivalMessage message(RivalNotice kind, int block, int racer) throws CloudMwException {
        if (block < 0 || racer < 0) {
            throw new CloudMwException(
                    ErrorCode.PROTOCOL_VIOLATION, "block: " + block + ", racer: " + racer + " (expected: >= 0)");
        }
        return new RivalMessage(kind, new BlockId(block), new RacerId(racer));
    }
}
