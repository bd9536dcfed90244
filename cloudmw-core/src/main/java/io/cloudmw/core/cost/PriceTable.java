package io.cloudmw.core.cost;

import io.cloudmw.core.config.EditDistance;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import io.cloudmw.core.model.fleet.Store;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The prices of stores, by provider and region, with the version of the list. Immutable.
 *
 * <p>Its text has lines {@code provider/region.item = number}, {@code version = ...} and {@code currency = USD};
 * {@code #} begins a comment. The provider is {@code aws}, {@code disk}, or the host of an S3 endpoint; the region
 * {@code *} stands for all others. {@code helper/*.per-hour} is the price of one helper for an hour. {@code
 * docs/configuration.md} lists the items.
 */
public final class PriceTable {
    /** The longest table. */
    public static final int MAX_BYTES = 1 << 20;

    /** The region of a reader outside of the provider's regions. */
    public static final String INTERNET = "internet";

    private static final List<String> ITEMS = List.of(
            "get-per-1000",
            "put-per-1000",
            "storage-per-gb-month",
            "egress-same-region-per-gb",
            "egress-other-region-per-gb",
            "egress-internet-per-gb");
    private static final String AWS = "aws";
    private static final String DISK = "disk";
    /** The place that stands for all regions of the provider without a price of their own. */
    private static final String ANYWHERE = "/*";

    private static final Pattern AWS_REGION = Pattern.compile("[a-z]{2}(-[a-z]+){1,3}-[0-9]{1,2}");
    private static final String HELPER_HOUR = "helper/*.per-hour";
    private static final Pattern PLACE = Pattern.compile("[a-z0-9.-]{1,253}/([a-z0-9-]{1,63}|\\*)");
    private static final BigDecimal MOST = new BigDecimal(1_000_000);

    private final String version;
    private final String currency;
    private final BigDecimal helperPerHour;
    private final Map<String, StorePrices> places;

    private PriceTable(String version, String currency, BigDecimal helperPerHour, Map<String, StorePrices> places) {
        this.version = version;
        this.currency = currency;
        this.helperPerHour = helperPerHour;
        this.places = Map.copyOf(places);
    }

    /** The table of this release. */
    public static PriceTable builtIn() {
        try (InputStream in = PriceTable.class.getResourceAsStream("prices.txt")) {
            if (in == null) {
                throw new IllegalStateException("prices.txt is not in the jar");
            }
            return parse("built-in prices", new String(in.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Reads a table from a file.
     *
     * @throws IllegalArgumentException naming file, line and reason when it is not a table
     * @throws CloudMwException {@code LOCAL_IO} when it cannot be read
     */
    public static PriceTable read(Path file) throws CloudMwException {
        try {
            if (Files.size(file) > MAX_BYTES) {
                throw new IllegalArgumentException(
                        file + ": " + Files.size(file) + " bytes (expected: <= " + MAX_BYTES + ")");
            }
            return parse(file.toString(), Files.readString(file));
        } catch (IOException e) {
            throw new CloudMwException(
                    ErrorCode.LOCAL_IO, "price table " + file + ": cannot be read: " + Reasons.of(e), e);
        }
    }

    /**
     * Reads a table from its text.
     *
     * @param name for messages
     * @throws IllegalArgumentException naming line and reason when it is not a table
     */
    public static PriceTable parse(String name, String text) {
        Map<String, String> lines = lines(name, text);
        String version = required(name, lines, "version");
        String currency = required(name, lines, "currency");
        if (!currency.matches("[A-Z]{3}")) {
            throw new IllegalArgumentException(name + ": currency: \"" + currency + "\" (expected: like USD)");
        }
        String hour = lines.remove(HELPER_HOUR);
        BigDecimal helper = hour == null ? BigDecimal.ZERO : amount(name, HELPER_HOUR, hour);
        Map<String, Map<String, BigDecimal>> byPlace = new LinkedHashMap<>();
        lines.forEach((key, value) -> {
            int dot = key.lastIndexOf('.');
            String place = dot < 0 ? key : key.substring(0, dot);
            String item = key.substring(dot + 1);
            if (!PLACE.matcher(place).matches()) {
                throw new IllegalArgumentException(name + ": " + key
                        + ": unknown (expected: version, currency, provider/region.item or " + HELPER_HOUR + ")");
            }
            if (!ITEMS.contains(item)) {
                throw new IllegalArgumentException(
                        name + ": " + key + ": unknown item (nearest: " + EditDistance.nearest(item, ITEMS) + ")");
            }
            byPlace.computeIfAbsent(place, ignored -> new HashMap<>()).put(item, amount(name, key, value));
        });
        Map<String, StorePrices> places = new HashMap<>();
        byPlace.forEach((place, items) -> places.put(place, prices(name, place, items)));
        return new PriceTable(version, currency, helper, places);
    }

    private static Map<String, String> lines(String name, String text) {
        Map<String, String> lines = new LinkedHashMap<>();
        int number = 0;
        for (String line : text.lines().toList()) {
            number++;
            String content = line.replaceFirst("#.*", "").strip();
            if (content.isEmpty()) {
                continue;
            }
            int equals = content.indexOf('=');
            if (equals < 1) {
                throw new IllegalArgumentException(
                        name + ": line " + number + ": \"" + content + "\" (expected: key = value)");
            }
            String key = content.substring(0, equals).strip();
            if (lines.put(key, content.substring(equals + 1).strip()) != null) {
                throw new IllegalArgumentException(name + ": line " + number + ": " + key + " is there twice");
            }
        }
        return lines;
    }

    private static String required(String name, Map<String, String> lines, String key) {
        String value = lines.remove(key);
        if (value == null || value.isEmpty() || value.length() > 80) {
            throw new IllegalArgumentException(name + ": " + key + " is missing (expected: 1 to 80 characters)");
        }
        return value;
    }

    private static BigDecimal amount(String name, String key, String value) {
        if (value.matches("[0-9]{1,7}(\\.[0-9]{1,12})?")) {
            BigDecimal amount = new BigDecimal(value);
            if (amount.compareTo(MOST) <= 0) {
                return amount;
            }
        }
        throw new IllegalArgumentException(
                name + ": " + key + ": \"" + value + "\" (expected: a number like 0.0004, 0.." + MOST + ")");
    }

    private static StorePrices prices(String name, String place, Map<String, BigDecimal> items) {
        for (String item : ITEMS) {
            if (!items.containsKey(item)) {
                throw new IllegalArgumentException(name + ": " + place + "." + item + " is missing");
            }
        }
        List<BigDecimal> inOrder = ITEMS.stream()
                .map(item -> items.getOrDefault(item, BigDecimal.ZERO))
                .toList();
        return new StorePrices(
                inOrder.get(0), inOrder.get(1), inOrder.get(2), inOrder.get(3), inOrder.get(4), inOrder.get(5));
    }

    /** The version of the list, as the list names it. */
    public String version() {
        return version;
    }

    /** The currency: three letters. */
    public String currency() {
        return currency;
    }

    /** The price of one helper for an hour. */
    public BigDecimal helperPerHour() {
        return helperPerHour;
    }

    /** The prices by place, {@code provider/region}, sorted. */
    public SortedMap<String, StorePrices> places() {
        return new TreeMap<>(places);
    }

    /** The table's place for a store; empty when it has none. */
    public Optional<String> place(Store store) {
        String provider = provider(store);
        return Stream.of(provider + "/" + region(store), provider + ANYWHERE)
                .filter(places::containsKey)
                .findFirst();
    }

    /** The prices of a store; empty when the table has none. */
    public Optional<StorePrices> of(Store store) {
        return place(store).map(places::get);
    }

    /**
     * Checks a reader's region: the table names it, the {@code *} of a provider may stand for it, or it is the {@link
     * #INTERNET}. Regions of AWS have names like {@code eu-north-1}; regions of other providers may have any name.
     *
     * @throws IllegalArgumentException naming the known regions
     */
    void requireReader(String region) {
        Set<String> known = new TreeSet<>(Set.of(INTERNET));
        boolean others = false;
        boolean othersOfAws = false;
        for (String place : places.keySet()) {
            if (!place.endsWith(ANYWHERE)) {
                known.add(place.substring(place.indexOf('/') + 1));
            } else if (place.equals(AWS + ANYWHERE)) {
                othersOfAws = true;
            } else if (!place.equals(DISK + ANYWHERE)) {
                others = true;
            }
        }
        if (!known.contains(region)
                && !others
                && !(othersOfAws && AWS_REGION.matcher(region).matches())) {
            throw new IllegalArgumentException("reader region: \"" + region + "\" (expected: one of "
                    + String.join(", ", known) + (othersOfAws ? ", or another one of AWS, like eu-north-1)" : ")"));
        }
    }

    /**
     * The price of a GB read from a store.
     *
     * @param readerRegion a region of the store's provider, or {@link #INTERNET}
     */
    public Optional<BigDecimal> egressPerGb(Store store, String readerRegion) {
        return of(store).map(prices -> {
            if (readerRegion.equals(INTERNET)) {
                return prices.egressInternetPerGb();
            }
            return region(store).equals(readerRegion)
                    ? prices.egressSameRegionPerGb()
                    : prices.egressOtherRegionPerGb();
        });
    }

    private static String provider(Store store) {
        if (!(store.kind() instanceof Store.S3 s3)) {
            return DISK;
        }
        if (s3.endpoint().isEmpty()) {
            return AWS;
        }
        String host = URI.create(s3.endpoint()).getHost();
        String name = host == null ? "" : host.toLowerCase(Locale.ROOT);
        return name.endsWith(".amazonaws.com") ? AWS : name;
    }

    private static String region(Store store) {
        return store.kind() instanceof Store.S3 s3 ? s3.region() : "*";
    }
}
