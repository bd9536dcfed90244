package io.cloudmw.client.read.relay;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;

/**
 * The distribution of one get's memory among its relays. Accepted relays come first, the longest waiting before the
 * others, and in windows rather than leaf by leaf: every grant is a frame and wakes the sender. Prepared relays get
 * the rest, in the order of the file, so that a stream does not wait between two blocks. Confined to the transfer.
 */
public final class RelayCredit {
    /** A window is refilled when this part of it, in leaves, was handed on. */
    private static final int REFILL_PART = 8;

    /** A relay has lost all its credit, or has some again. */
    public record Change(long relay, boolean withheld) {}

    private final TransferCredit share;
    private final int windows;

    private final Map<Long, RelayReceiver> accepted = new LinkedHashMap<>();
    /** Relays that are prepared and not accepted, in the order of the file. */
    private final NavigableSet<RelayReceiver> ahead =
            new TreeSet<>(Comparator.comparingLong(RelayReceiver::position).thenComparingLong(RelayReceiver::number));

    private boolean closing;

    /** @param windows relays among which the memory is divided; none gets more than its part */
    RelayCredit(TransferCredit share, int windows) {
        this.share = share;
        this.windows = windows;
    }

    void prepared(RelayReceiver relay) {
        ahead.add(relay);
    }

    void opened(RelayReceiver relay) {
        if (ahead.remove(relay)) {
            share.isNeeded(relay.outstanding());
        }
        accepted.put(relay.number(), relay);
    }

    /** Grants credit as far as there is memory. */
    List<Change> grant() {
        List<Change> changes = new ArrayList<>();
        for (RelayReceiver relay : accepted.values()) {
            long taken = take(relay);
            if (taken > 0) {
                relay.grant(taken);
                if (relay.isWithheld()) {
                    relay.withheld(false);
                    changes.add(new Change(relay.number(), false));
                }
            } else if (relay.grantedBytes() == 0 && !relay.isWithheld()) {
                relay.withheld(true);
                changes.add(new Change(relay.number(), true));
            }
        }
        if (!accepted.isEmpty() && accepted.values().stream().allMatch(RelayCredit::hasAll)) {
            grantAhead();
        }
        return changes;
    }

    private static boolean hasAll(RelayReceiver relay) {
        return relay.grantedBytes() >= relay.length();
    }

    private void grantAhead() {
        for (RelayReceiver relay : ahead) {
            int leaf = relay.chunk().leafSizeBytes();
            long refill = Math.max(leaf, share.limit() / REFILL_PART - share.limit() / REFILL_PART % leaf);
            long taken = share.takeAhead(relay.length() - relay.grantedBytes(), refill);
            if (taken > 0) {
                relay.grant(taken);
            }
            if (!hasAll(relay)) {
                return;
            }
        }
    }

    private long take(RelayReceiver relay) {
        int leaf = relay.chunk().leafSizeBytes();
        long rest = relay.length() - relay.grantedBytes();
        long window = Math.max(leaf, share.limit() / windows - share.limit() / windows % leaf);
        long room = Math.min(rest, window - relay.outstanding());
        if (room < rest) {
            room -= room % leaf;
            room = room < window / REFILL_PART ? 0 : room;
        }
        return room <= 0 ? 0 : share.take(room, leaf);
    }

    /** A leaf was handed on and released. */
    void returned(RelayReceiver relay, long bytes) {
        relay.returned(bytes);
        share.giveBack(bytes);
    }

    /** The relay has brought everything. */
    void closed(RelayReceiver relay) {
        accepted.remove(relay.number());
    }

    /** The relay was refused, and holds no memory any more. */
    void drained(RelayReceiver relay) {
        if (relay.isExpected() && ahead.remove(relay)) {
            share.isNeeded(relay.outstanding());
        } else if (accepted.remove(relay.number()) == null) {
            return;
        }
        returned(relay, relay.outstanding());
        settle();
    }

    /** Gives the memory back as soon as every relay has drained. */
    void close() {
        closing = true;
        settle();
    }

    private void settle() {
        if (closing && accepted.isEmpty() && ahead.isEmpty()) {
            share.close();
        }
    }
}
