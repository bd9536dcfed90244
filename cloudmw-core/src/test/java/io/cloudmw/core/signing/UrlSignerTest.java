package io.cloudmw.core.signing;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.access.CredentialsReference;
import io.cloudmw.core.access.StoreFault;
import io.cloudmw.core.access.StoreReach;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.testing.FakeTicker;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class UrlSignerTest {
    private static final Store BUCKET = new Store(
            new StoreId("b"),
            "b",
            new Store.S3("bucket", "us-east-1", "http://127.0.0.1:1", true, "", new CredentialsReference.Profile("p")));
    private static final List<ChunkId> CHUNKS = List.of(chunk(0), chunk(1));
    private static final Duration WANTED = Duration.ofHours(6);
    private static final Duration GRANTED = Duration.ofHours(1);

    private final FakeTicker ticker = new FakeTicker();
    private final List<HelperAddress> able = new ArrayList<>();
    private final Map<String, StoreFault> shutOut = new HashMap<>();
    private final List<String> asked = new ArrayList<>();
    /** Helpers that fail when they are asked, and the time until they do. */
    private final Map<String, Duration> failing = new HashMap<>();

    private boolean ownFails;

    private static ChunkId chunk(long index) {
        return new ChunkId(new VersionId("a".repeat(32)), index);
    }

    private static HelperAddress helper(int number) {
        return new HelperAddress(new HelperId("h" + number), "127.0.0.1:" + number, "127.0.0.1:" + (number + 100));
    }

    private static URI url(String signer, ChunkId chunk) {
        return URI.create("https://" + signer + "/" + chunk);
    }

    private SignedUrls sign(Store store) {
        UrlSigner.LocalSigner own = (bucket, chunk, validity) -> {
            asked.add("coordinator");
            if (ownFails) {
                throw new CloudMwException(ErrorCode.STORE_DENIED, "no keys here");
            }
            return Optional.of(url("coordinator", chunk));
        };
        HelperUrlSigner helpers = (helper, bucket, chunks, validity, timeout) -> {
            String id = helper.id().value();
            asked.add(id);
            if (failing.containsKey(id)) {
                ticker.advance(failing.getOrDefault(id, Duration.ZERO));
                throw new CloudMwException(ErrorCode.HELPER_UNAVAILABLE, id + " is silent");
            }
            Map<ChunkId, URI> urls = new HashMap<>();
            chunks.forEach(chunk -> urls.put(chunk, url(id, chunk)));
            return SignedUrls.of(urls, GRANTED);
        };
        UrlSigner.Fleet fleet = new UrlSigner.Fleet() {
            @Override
            public List<HelperAddress> able(Store bucket) {
                return able;
            }

            @Override
            public StoreReach reach(Store bucket) {
                return new StoreReach(Optional.empty(), shutOut);
            }
        };
        return Objects.requireNonNull(new UrlSigner(own, helpers, fleet, ticker)
                .sign(Map.of(store, CHUNKS), WANTED)
                .get(store.id()));
    }

    private void shutsOut(StoreFault.Kind kind, String process) {
        shutOut.put(process, new StoreFault(kind, "because of " + kind, 1));
    }

    @Test
    void aCoordinatorThatHasCredentialsSignsByItself() {
        able.add(helper(1));
        assertThat(sign(BUCKET).urls()).containsEntry(chunk(1), url("coordinator", chunk(1)));
        assertThat(sign(BUCKET).validity()).isEqualTo(WANTED);
        assertThat(asked).containsOnly("coordinator");
    }

    @Test
    void aHelperSignsForACoordinatorThatLacksCredentials() {
        able.add(helper(1));
        shutsOut(StoreFault.Kind.NO_CREDENTIALS, "coordinator");
        SignedUrls signed = sign(BUCKET);
        assertThat(signed.urls()).containsOnlyKeys(chunk(0), chunk(1)).containsEntry(chunk(0), url("h1", chunk(0)));
        assertThat(signed.validity()).isEqualTo(GRANTED);
        assertThat(signed.obstacle()).isEmpty();
        assertThat(asked).containsExactly("h1");
    }

    @Test
    void aHelperSignsForACoordinatorThatHasNotNoticedYetThatItLacksCredentials() {
        able.add(helper(1));
        ownFails = true;
        assertThat(sign(BUCKET).urls()).containsEntry(chunk(0), url("h1", chunk(0)));
        assertThat(asked).containsExactly("coordinator", "h1");
    }

    @Test
    void aCoordinatorThatTheStoreRefusesSignsOnlyWhenNoHelperDoes() {
        able.add(helper(1));
        shutsOut(StoreFault.Kind.DENIED, "coordinator");
        assertThat(sign(BUCKET).urls()).containsEntry(chunk(0), url("h1", chunk(0)));
        able.clear();
        assertThat(sign(BUCKET).urls()).containsEntry(chunk(0), url("coordinator", chunk(0)));
    }

    @Test
    void anotherHelperSignsWhenOneDoesNot() {
        shutsOut(StoreFault.Kind.NO_CREDENTIALS, "coordinator");
        able.add(helper(1));
        able.add(helper(2));
        failing.put("h1", Duration.ofMillis(500));
        assertThat(sign(BUCKET).urls()).containsEntry(chunk(0), url("h2", chunk(0)));
    }

    @Test
    void helpersThatAreAskedAreFewAndTheirTimeIsBounded() {
        shutsOut(StoreFault.Kind.NO_CREDENTIALS, "coordinator");
        for (int i = 1; i <= 9; i++) {
            able.add(helper(i));
            failing.put("h" + i, Duration.ofMillis(1));
        }
        assertThat(sign(BUCKET).urls()).isEmpty();
        assertThat(asked).hasSize(UrlSigner.MOST_HELPERS);
        asked.clear();
        failing.replaceAll((helper, time) -> Duration.ofMillis(UrlSigner.MOST_MILLIS));
        assertThat(sign(BUCKET).urls()).isEmpty();
        assertThat(asked).hasSize(1);
    }

    @Test
    void unsignedStoreNamesItsProcessesTheirFaultsAndARemedy() {
        shutsOut(StoreFault.Kind.NO_CREDENTIALS, "coordinator");
        shutsOut(StoreFault.Kind.DENIED, "helper h7");
        able.add(helper(1));
        failing.put("h1", Duration.ZERO);
        SignedUrls signed = sign(BUCKET);
        assertThat(signed.urls()).isEmpty();
        assertThat(signed.obstacle().orElseThrow())
                .contains("store b", "profile p")
                .contains("coordinator: because of NO_CREDENTIALS")
                .contains("helper h7: because of DENIED")
                .contains("helper h1: it can use the store, but did not sign: h1 is silent")
                .contains("cloudmw store check b");
    }

    @Test
    void manyProcessesThatLackCredentialsAreCounted() {
        for (int i = 0; i < 100; i++) {
            shutsOut(StoreFault.Kind.NO_CREDENTIALS, "helper h" + i);
        }
        shutsOut(StoreFault.Kind.NO_CREDENTIALS, "coordinator");
        String obstacle = sign(BUCKET).obstacle().orElseThrow();
        assertThat(obstacle).contains("; and 94 more").hasSizeLessThan(2000);
    }

    @Test
    void aDiskHasNoUrlsAndNoObstacle() {
        Store disk = new Store(new StoreId("d"), "d", new Store.Disk(new HelperId("h1"), Path.of("/d")));
        assertThat(sign(disk)).isEqualTo(SignedUrls.of(Map.of(), WANTED));
        assertThat(asked).isEmpty();
    }
}
