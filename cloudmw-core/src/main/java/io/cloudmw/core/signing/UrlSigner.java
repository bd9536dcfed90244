package io.cloudmw.core.signing;

import io.cloudmw.core.access.StoreFault;
import io.cloudmw.core.access.StoreReach;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.time.Ticker;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The signer of URLs for chunks. This process signs when it has the store's credentials; otherwise it asks a helper
 * that has them. It asks at most {@value #MOST_HELPERS} helpers for each store, within {@value #MOST_MILLIS} ms for
 * all of them. Safe for any thread; calls block.
 */
public final class UrlSigner {
    static final int MOST_HELPERS = 3;
    static final int MOST_MILLIS = 4000;

    /** The timeout of one helper, which leaves time for another one. */
    private static final int FIRST_MILLIS = 2000;

    private static final int LEAST_MILLIS = 100;

    /** The most processes that a message names. */
    private static final int MOST_NAMED = 8;

    private static final Logger LOG = LoggerFactory.getLogger(UrlSigner.class);

    /** The signer with the credentials of this process. */
    @FunctionalInterface
    public interface LocalSigner {
        /** A URL, computed without asking the store; empty when the store cannot be read this way. */
        Optional<URI> presign(Store store, ChunkId chunk, Duration validity) throws CloudMwException;
    }

    /** The helpers, and the processes that can use each store. */
    public interface Fleet {
        /** The live helpers that can use a store, by their own reports. */
        List<HelperAddress> able(Store store);

        /** The processes that cannot use a store; this one has the name {@code coordinator}. */
        StoreReach reach(Store store);
    }

    private final LocalSigner own;
    private final HelperUrlSigner helpers;
    private final Fleet fleet;
    private final Ticker ticker;
    /** Counts calls, so that each begins with another helper. */
    private final AtomicInteger turn = new AtomicInteger();

    public UrlSigner(LocalSigner own, HelperUrlSigner helpers, Fleet fleet, Ticker ticker) {
        this.own = own;
        this.helpers = helpers;
        this.fleet = fleet;
        this.ticker = ticker;
    }

    /**
     * Signs for chunks, store by store. A disk has neither URLs nor an obstacle.
     *
     * @param validity the wanted validity of the URLs; a helper may grant less
     */
    public Map<StoreId, SignedUrls> sign(Map<Store, ? extends Collection<ChunkId>> copies, Duration validity) {
        long endNanos = ticker.nanos() + Duration.ofMillis(MOST_MILLIS).toNanos();
        Map<StoreId, SignedUrls> signed = new LinkedHashMap<>();
        copies.forEach(
                (store, chunks) -> signed.put(store.id(), sign(new SigningRequest(store, chunks, validity), endNanos)));
        return signed;
    }

    /** The chunks of one store whose URLs are to be signed. */
    private record SigningRequest(Store store, Collection<ChunkId> chunks, Duration validity) {}

    private SignedUrls sign(SigningRequest wanted, long endNanos) {
        Store store = wanted.store();
        if (store.owner().isPresent() || wanted.chunks().isEmpty()) {
            return SignedUrls.of(Map.of(), wanted.validity());
        }
        Map<String, String> reasons = new LinkedHashMap<>();
        Map<String, StoreFault> shutOut = fleet.reach(store).shutOut();
        Optional<StoreFault.Kind> fault =
                Optional.ofNullable(shutOut.get("coordinator")).map(StoreFault::kind);
        boolean refused = fault.equals(Optional.of(StoreFault.Kind.DENIED));
        boolean lacking = fault.equals(Optional.of(StoreFault.Kind.NO_CREDENTIALS));
        Optional<SignedUrls> signed = refused || lacking ? Optional.empty() : here(wanted, reasons);
        if (signed.isEmpty()) {
            signed = there(wanted, endNanos, reasons);
        }
        if (signed.isEmpty() && refused) {
            // Keys that may not list a bucket may still read its objects.
            signed = here(wanted, reasons);
        }
        if (signed.isPresent()) {
            return signed.get();
        }
        // After the processes that can use the store, with their failures.
        shutOut.forEach((process, why) -> reasons.putIfAbsent(process, why.reason()));
        return new SignedUrls(Map.of(), Duration.ZERO, Optional.of(obstacle(store, reasons)));
    }

    private Optional<SignedUrls> here(SigningRequest wanted, Map<String, String> reasons) {
        Map<ChunkId, URI> urls = new HashMap<>();
        try {
            for (ChunkId chunk : wanted.chunks()) {
                own.presign(wanted.store(), chunk, wanted.validity()).ifPresent(url -> urls.put(chunk, url));
            }
        } catch (CloudMwException e) {
            LOG.debug("store={}: the coordinator cannot sign", wanted.store().id(), e);
            reasons.putIfAbsent("coordinator", String.valueOf(e.getMessage()));
            return Optional.empty();
        }
        if (urls.isEmpty()) {
            reasons.putIfAbsent("coordinator", "it signs nothing");
            return Optional.empty();
        }
        return Optional.of(SignedUrls.of(urls, wanted.validity()));
    }

    private Optional<SignedUrls> there(SigningRequest wanted, long endNanos, Map<String, String> reasons) {
        Store store = wanted.store();
        List<HelperAddress> able = new ArrayList<>(fleet.able(store));
        if (able.isEmpty()) {
            reasons.put("helpers", "none that is alive can use the store");
            return Optional.empty();
        }
        Collections.rotate(able, -Math.floorMod(turn.getAndIncrement(), able.size()));
        for (HelperAddress helper : able.subList(0, Math.min(MOST_HELPERS, able.size()))) {
            long left = Duration.ofNanos(endNanos - ticker.nanos()).toMillis();
            if (left < LEAST_MILLIS) {
                reasons.putIfAbsent("helper " + helper.id(), "there was no time left to ask it");
                break;
            }
            try {
                Duration timeout = Duration.ofMillis(Math.min(left, FIRST_MILLIS));
                return Optional.of(helpers.sign(helper, store, wanted.chunks(), wanted.validity(), timeout));
            } catch (CloudMwException e) {
                LOG.debug("store={}: helper {} did not sign", store.id(), helper.id(), e);
                String what = e.code() == ErrorCode.STORE_DENIED ? "" : "it can use the store, but did not sign: ";
                reasons.put("helper " + helper.id(), what + e.getMessage());
            }
        }
        return Optional.empty();
    }

    private static String obstacle(Store store, Map<String, String> reasons) {
        StringBuilder text = new StringBuilder("no process that is alive could sign a URL for store " + store.id());
        if (store.kind() instanceof Store.S3 s3) {
            text.append(" with its credentials (")
                    .append(s3.credentials().describe())
                    .append(')');
        }
        reasons.entrySet().stream()
                .limit(MOST_NAMED)
                .forEach(reason ->
                        text.append("; ").append(reason.getKey()).append(": ").append(reason.getValue()));
        if (reasons.size() > MOST_NAMED) {
            text.append("; and ").append(reasons.size() - MOST_NAMED).append(" more");
        }
        return text.append(". Give the coordinator or a helper these credentials; cloudmw store check ")
                .append(store.id())
                .append(" says who has them")
                .toString();
    }
}
