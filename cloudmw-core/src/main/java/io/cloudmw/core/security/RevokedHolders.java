package io.cloudmw.core.security;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The holders whose transfer tokens were revoked. Safe for any thread; a look-up never blocks.
 */
public final class RevokedHolders {
    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
    private volatile Map<String, Long> revisions = Map.of();

    /** Adds a listener, which hears each change on the thread that makes it. */
    public void onChange(Runnable listener) {
        listeners.add(listener);
    }

    /**
     * Replaces all revocations.
     *
     * @param revoked by identity, the revision of subjects from which on its tokens are valid
     */
    public void replace(Map<String, Long> revoked) {
        revisions = Map.copyOf(revoked);
        listeners.forEach(Runnable::run);
    }

    /** Returns whether a token of this holder was issued before its rights were taken. */
    boolean isRevoked(TokenHolder holder) {
        Long needed = revisions.get(holder.identity());
        return needed != null && holder.revision() < needed;
    }
}
