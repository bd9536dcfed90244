package io.cloudmw.client;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cloudmw.client.progress.WarmListener;
import io.cloudmw.client.progress.WarmReceipt;
import io.cloudmw.client.progress.WarmedSwitch;
import io.cloudmw.client.rpc.FakeHelper;
import io.cloudmw.client.rpc.FakeWarming;
import io.cloudmw.core.cost.StoreUsage;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.model.fleet.Location;
import io.cloudmw.core.model.volume.VolumeSet;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Two switches, one of which follows the test's script. */
@Timeout(120)
final class WarmTest {
    private static final FilePath FILE = FilePath.parse("vol:/a/file");
    private static final int SIZE = (11 << 20) + 12_345;

    @TempDir
    private Path directory;

    private FakeCluster cluster;
    private FakeHelper good;
    private FakeHelper odd;

    @BeforeEach
    void start() throws Exception {
        cluster = new FakeCluster(4 << 20, 256 << 10, FakeHelper.Script.SERVE, directory, 8 << 20);
        good = started("good");
        odd = started("odd");
        byte[] unused = cluster.put(FILE, SIZE, 1);
    }

    private FakeHelper started(String name) throws Exception {
        FakeHelper helper = new FakeHelper(name, FakeHelper.Script.SERVE, new ConcurrentHashMap<>());
        HelperAddress address = helper.address();
        cluster.coordinator()
                .add(new HelperAddress(
                        address.id(),
                        address.control(),
                        address.bulk(),
                        VolumeSet.parse("vol"),
                        Location.parse("zone-1/" + name)));
        return helper;
    }

    @AfterEach
    void stop() {
        cluster.close();
        good.close();
        odd.close();
    }

    private WarmReceipt warm() throws Exception {
        return cluster.client().files().warm(FILE, WarmOptions.defaults()).get(60, SECONDS);
    }

    private static WarmedSwitch of(WarmReceipt receipt, String name) {
        return receipt.switches().stream()
                .filter(one -> one.helper().equals(new HelperId(name)))
                .findFirst()
                .orElseThrow();
    }

    private FakeWarming odd() {
        return odd.warming();
    }

    @Test
    void everySwitchIsToldOfEveryBlockAndReportsAddUp() throws Exception {
        List<Long> progress = new CopyOnWriteArrayList<>();
        CompletableFuture<List<HelperId>> planned = new CompletableFuture<>();
        WarmListener listener = new WarmListener() {
            @Override
            public void planned(FileVersion version, List<HelperId> switches) {
                planned.complete(switches);
                throw new IllegalStateException("listeners may fail");
            }

            @Override
            public void progressed(long done, long total) {
                assertThat(total).isEqualTo(2L * SIZE);
                progress.add(done);
            }
        };
        WarmReceipt receipt = cluster.client()
                .files()
                .warm(FILE, WarmOptions.defaults().withListener(listener))
                .get(60, SECONDS);
        assertThat(planned.join()).containsExactlyInAnyOrder(new HelperId("good"), new HelperId("odd"));
        assertThat(progress).isSorted().endsWith(2L * SIZE).hasSize(6);
        assertThat(receipt.isComplete()).isTrue();
        assertThat(receipt.bytes()).isEqualTo(SIZE);
        assertThat(receipt.cost().usage()).isEqualTo(Map.of(new StoreId("s"), StoreUsage.ofReads(6, 2L * SIZE)));
        assertThat(of(receipt, "odd").location()).isEqualTo(Location.parse("zone-1/odd"));
        assertThat(odd().told.get()).isEqualTo(3);
        assertThat(odd().overrun).isFalse();
        WarmReceipt again = warm();
        assertThat(again.switches())
                .allSatisfy(one -> assertThat(one.hadBytes()).isEqualTo(SIZE));
        assertThat(again.cost().usage()).isEmpty();
        await().until(() -> odd().open.get() == 0);
    }

    @Test
    void failedBlockIsRetried() throws Exception {
        odd().failures = 2;
        WarmReceipt receipt = warm();
        assertThat(receipt.isComplete()).isTrue();
        assertThat(of(receipt, "odd").failure()).isEmpty();
        assertThat(odd().told.get()).isEqualTo(9);
    }

    @Test
    void blockThatKeepsFailingIsGivenUpAlone() throws Exception {
        odd().failures = Integer.MAX_VALUE;
        WarmReceipt receipt = warm();
        assertThat(receipt.isComplete()).isFalse();
        assertThat(of(receipt, "odd").missingBytes()).isEqualTo(SIZE);
        assertThat(of(receipt, "odd").failure())
                .hasValueSatisfying(why -> assertThat(why.code()).isEqualTo(ErrorCode.STORE_UNAVAILABLE));
        assertThat(odd().told.get()).isEqualTo(12);
        assertThat(of(receipt, "good").isComplete()).isTrue();
    }

    @Test
    void overloadedSwitchIsRetried() throws Exception {
        odd().refusals.set(3);
        assertThat(warm().isComplete()).isTrue();
    }

    /** Otherwise two warm-ups would deadlock, each with the slot that the other waits for. */
    @Test
    void waitingWarmUpHoldsNoSlotOfLaterSwitch() throws Exception {
        good.warming().refusals.set(Integer.MAX_VALUE);
        CompletableFuture<WarmReceipt> warm = cluster.client().files().warm(FILE, WarmOptions.defaults());
        await().until(() -> good.warming().begun.get() > 2);
        assertThat(odd().begun.get()).isZero();
        good.warming().refusals.set(0);
        assertThat(warm.get(60, SECONDS).isComplete()).isTrue();
    }

    @Test
    void switchLostBeforeItHadRoomDoesNotBlockOthers() throws Exception {
        good.die();
        WarmReceipt receipt = warm();
        assertThat(of(receipt, "good").failure())
                .hasValueSatisfying(why -> assertThat(why.code()).isEqualTo(ErrorCode.HELPER_UNAVAILABLE));
        assertThat(of(receipt, "odd").isComplete()).isTrue();
    }

    @Test
    void tokenExpiredWhileAnotherSwitchIsFullIsRenewed() throws Exception {
        good.warming().refusals.set(1);
        odd().expired.set(1);
        assertThat(warm().isComplete()).isTrue();
        assertThat(odd().begun.get()).isEqualTo(2);
    }

    @Test
    void switchWithNeverValidTokenIsLost() throws Exception {
        odd().expired.set(1);
        assertThat(of(warm(), "odd").failure())
                .hasValueSatisfying(why -> assertThat(why.code()).isEqualTo(ErrorCode.UNAUTHENTICATED));
        assertThat(odd().begun.get()).isEqualTo(1);
    }

    /** Each of three blocks, to be cached and to be checked, takes a token of its own. */
    @Test
    void warmUpLongerThanItsTokenContinuesWithAnother() throws Exception {
        odd().lasts = 1;
        List<Long> progress = new CopyOnWriteArrayList<>();
        WarmListener listener = new WarmListener() {
            @Override
            public void progressed(long done, long total) {
                progress.add(done);
            }
        };
        WarmReceipt receipt = cluster.client()
                .files()
                .warm(FILE, WarmOptions.defaults().withListener(listener))
                .get(60, SECONDS);
        assertThat(receipt.isComplete()).isTrue();
        assertThat(progress).isSorted().endsWith(2L * SIZE).hasSize(6);
        assertThat(receipt.switches()).allSatisfy(one -> {
            assertThat(one.failure()).isEmpty();
            assertThat(one.keptBytes()).hasValue(SIZE);
            assertThat(one.hadBytes() + one.storeBytes()).isEqualTo(SIZE);
        });
        assertThat(odd().begun.get()).isEqualTo(6);
        assertThat(odd().overrun).isFalse();
        await().until(() -> odd().open.get() == 0 && good.warming().open.get() == 0);
    }

    /** Otherwise the cost would be lost, and the receipt would count the bytes as cached before. */
    @Test
    void pendingReportsCountWhenTokenIsRenewed() throws Exception {
        odd().lasts = 1;
        good.warming().late.set(1);
        WarmReceipt receipt = warm();
        assertThat(receipt.isComplete()).isTrue();
        assertThat(of(receipt, "good").hadBytes()).isZero();
        assertThat(receipt.cost().usage()).isEqualTo(Map.of(new StoreId("s"), StoreUsage.ofReads(6, 2L * SIZE)));
        assertThat(good.warming().told.get()).isEqualTo(3);
    }

    @Test
    void silentSwitchDelaysTokenRenewalOnlyBriefly() throws Exception {
        odd().lasts = 1;
        good.warming().silent = true;
        CompletableFuture<WarmReceipt> warm = cluster.client().files().warm(FILE, WarmOptions.defaults());
        await().atMost(Duration.ofSeconds(40)).until(() -> good.warming().begun.get() > 1);
        good.die();
        assertThat(of(warm.get(60, SECONDS), "odd").isComplete()).isTrue();
    }

    @Test
    void switchWhoseTokensExpireWithinABlockIsLost() throws Exception {
        odd().lasts = 0;
        WarmReceipt receipt = cluster.client()
                .files()
                .warm(FILE, WarmOptions.defaults().withTo(Location.parse("zone-1/odd")))
                .get(60, SECONDS);
        assertThat(of(receipt, "odd").failure())
                .hasValueSatisfying(why -> assertThat(why.code()).isEqualTo(ErrorCode.UNAUTHENTICATED));
        assertThat(odd().begun.get()).isEqualTo(1);
    }

    @Test
    void switchWithTooSmallCacheGetsNoBlocks() throws Exception {
        odd().capacityBytes = SIZE - 1;
        WarmReceipt receipt = warm();
        assertThat(of(receipt, "odd").failure())
                .hasValueSatisfying(why -> assertThat(why.code()).isEqualTo(ErrorCode.STORE_FULL));
        assertThat(odd().told.get()).isZero();
        assertThat(of(receipt, "good").isComplete()).isTrue();
    }

    @Test
    void blocksEvictedAfterwardsAreReportedMissing() throws Exception {
        odd().forgetful = true;
        WarmReceipt receipt = warm();
        assertThat(of(receipt, "odd").storeBytes()).isEqualTo(SIZE);
        assertThat(of(receipt, "odd").keptBytes()).hasValue(0);
        assertThat(receipt.isComplete()).isFalse();
    }

    @Test
    void checkWithoutFetchOrdersNoBlocks() throws Exception {
        WarmReceipt before = cluster.client()
                .files()
                .warm(FILE, WarmOptions.defaults().onlyLooking())
                .get(60, SECONDS);
        assertThat(before.switches())
                .allSatisfy(one -> assertThat(one.missingBytes()).isEqualTo(SIZE));
        assertThat(odd().told.get()).isZero();
        var unused = warm();
        WarmReceipt after = cluster.client()
                .files()
                .warm(FILE, WarmOptions.defaults().onlyLooking())
                .get(60, SECONDS);
        assertThat(after.isComplete()).isTrue();
        assertThat(after.switches())
                .allSatisfy(one -> assertThat(one.hadBytes()).isEqualTo(SIZE));
    }

    @Test
    void deadSwitchIsNamedAndOthersContinue() throws Exception {
        odd().silent = true;
        CompletableFuture<WarmReceipt> warm = cluster.client().files().warm(FILE, WarmOptions.defaults());
        await().until(() -> odd().told.get() > 0);
        odd.die();
        WarmReceipt receipt = warm.get(60, SECONDS);
        assertThat(of(receipt, "good").isComplete()).isTrue();
        assertThat(of(receipt, "odd").failure()).hasValueSatisfying(why -> {
            assertThat(why.code()).isEqualTo(ErrorCode.HELPER_UNAVAILABLE);
            assertThat(why).hasMessage("helper odd is gone; repeat the command when it is back");
        });
    }

    @Test
    void cancelledWarmUpEndsAtTheSwitches() throws Exception {
        odd().silent = true;
        CompletableFuture<WarmReceipt> warm = cluster.client().files().warm(FILE, WarmOptions.defaults());
        await().until(() -> odd().told.get() > 0);
        assertThat(warm.cancel(true)).isTrue();
        await().until(() -> odd().open.get() == 0 && good.warming().open.get() == 0);
        await().until(() -> cluster.client().runningTransfers() == 0);
    }
}
