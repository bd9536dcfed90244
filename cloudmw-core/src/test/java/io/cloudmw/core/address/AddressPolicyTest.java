package io.cloudmw.core.address;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cloudmw.core.config.HostPort;
import io.cloudmw.core.config.HostPorts;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.netty.util.NetUtil;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.net.UnknownHostException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Addresses advertised from machines with one and with several interfaces. */
final class AddressPolicyTest {
    /** A machine with two networks: 10.0.0.2 and fd00::2 on the first interface, 192.168.7.9 on the second. */
    private final Machine machine = new Machine()
            .reaches("10.0.0.1", "10.0.0.2")
            .reaches("fd00::1", "fd00::2")
            .reaches("192.168.7.1", "192.168.7.9");

    /** A network stack that is a table. */
    private static final class Machine implements HostNetwork {
        private final Map<String, String> routes = new HashMap<>();
        private final Map<String, List<String>> names = new HashMap<>();
        private final Set<String> silent = new HashSet<>();
        private int connections;

        Machine reaches(String remote, String local) {
            routes.put(remote, local);
            return this;
        }

        Machine named(String name, String... addresses) {
            names.put(name, List.of(addresses));
            return this;
        }

        Machine silent(String remote) {
            silent.add(remote);
            return this;
        }

        @Override
        public List<InetAddress> resolve(String host) throws UnknownHostException {
            if (names.containsKey(host)) {
                return names.get(host).stream().map(Machine::address).toList();
            }
            if (NetUtil.createInetAddressFromIpAddressString(host) == null) {
                throw new UnknownHostException(host);
            }
            return List.of(address(host));
        }

        @Override
        public InetAddress connect(InetSocketAddress remote) throws IOException {
            connections++;
            if (silent.contains(NetUtil.toAddressString(remote.getAddress()))) {
                throw new ConnectException("Connection refused");
            }
            return route(remote);
        }

        @Override
        public InetAddress route(InetSocketAddress remote) throws IOException {
            String local = routes.get(NetUtil.toAddressString(remote.getAddress()));
            if (local == null) {
                throw new NoRouteToHostException();
            }
            return address(local);
        }

        @Override
        public boolean isOwn(InetAddress address) {
            return routes.containsValue(NetUtil.toAddressString(address)) || address.isLoopbackAddress();
        }

        private static InetAddress address(String literal) {
            InetAddress address = NetUtil.createInetAddressFromIpAddressString(literal);
            if (address == null) {
                throw new IllegalArgumentException(literal);
            }
            return address;
        }
    }

    private AddressPolicy.Decision decide(String coordinators, String listen, String advertise)
            throws CloudMwException {
        Optional<HostPort> given = listen.isEmpty() ? Optional.empty() : Optional.of(HostPort.parse(listen));
        return new AddressPolicy(HostPorts.parse(coordinators), machine)
                .decide(new AddressPolicy.SocketSettings("x.listen", given, "x.advertise-host", advertise, 0));
    }

    private void decides(String coordinators, String listen, String advertise, String listens, String advertised)
            throws CloudMwException {
        AddressPolicy.Decision decision = decide(coordinators, listen, advertise);
        assertThat(decision.listen()).hasToString(listens);
        assertThat(decision.advertised(7)).hasToString(advertised);
    }

    private void refuses(String coordinators, String listen, String advertise, String... said) {
        assertThatThrownBy(() -> decide(coordinators, listen, advertise))
                .isInstanceOfSatisfying(
                        CloudMwException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT))
                .hasMessageContainingAll(said);
    }

    @Test
    void theInterfaceThatReachesTheCoordinatorIsListenedOnAndAdvertised() throws CloudMwException {
        decides("10.0.0.1:7400", "", "", "10.0.0.2:0", "10.0.0.2:7");
        decides("192.168.7.1:7400", "", "", "192.168.7.9:0", "192.168.7.9:7");
        decides("[fd00::1]:7400", "", "", "[fd00::2]:0", "[fd00::2]:7");
    }

    @Test
    void theWildcardIsListenedOnButNeverAdvertised() throws CloudMwException {
        decides("10.0.0.1:7400", "0.0.0.0:5", "", "0.0.0.0:5", "10.0.0.2:7");
        decides("10.0.0.1:7400", "[::]:0", "", "[::]:0", "10.0.0.2:7");
        decides("[fd00::1]:7400", "[::]:0", "", "[::]:0", "[fd00::2]:7");
        decides("127.0.0.1:7400", "0.0.0.0:0", "", "0.0.0.0:0", "127.0.0.1:7");
        refuses("10.0.0.1:7400", "10.0.0.2:0", "0.0.0.0", "x.advertise-host", "no process can connect");
        refuses("127.0.0.1:7400", "", "::", "x.advertise-host", "no process can connect");
    }

    @Test
    void aCoordinatorOnLoopbackKeepsEverythingOnLoopback() throws CloudMwException {
        decides("127.0.0.1:7400", "", "", "127.0.0.1:0", "127.0.0.1:7");
        decides("[::1]:7400", "", "", "[::1]:0", "[::1]:7");
        machine.named("localhost", "127.0.0.1", "::1");
        decides("localhost:7400", "", "", "127.0.0.1:0", "127.0.0.1:7");
        decides("0.0.0.0:7400", "", "", "127.0.0.1:0", "127.0.0.1:7");
        assertThat(machine.connections).isZero();
    }

    @Test
    void loopbackIsRefusedWhereACoordinatorIsElsewhere() {
        String[] said = {"only this machine reaches this address", "10.0.0.1:7400", "x.listen", "x.advertise-host"};
        refuses("10.0.0.1:7400", "127.0.0.1:0", "", said);
        refuses("10.0.0.1:7400", "[::1]:0", "", said);
        refuses("10.0.0.1:7400", "localhost:0", "", said);
        refuses("10.0.0.1:7400", "10.0.0.2:0", "127.0.0.2", said);
        refuses("127.0.0.1:7400,10.0.0.1:7400", "127.0.0.1:0", "", said);
    }

    @Test
    void theCoordinatorThatAnswersCounts() throws CloudMwException {
        machine.silent("10.0.0.1");
        decides("10.0.0.1:7400,192.168.7.1:7400", "", "", "192.168.7.9:0", "192.168.7.9:7");
        machine.named("coordinators", "10.0.0.1", "192.168.7.1");
        decides("coordinators:7400", "", "", "192.168.7.9:0", "192.168.7.9:7");
        decides("127.0.0.1:7400,192.168.7.1:7400", "", "", "192.168.7.9:0", "192.168.7.9:7");
    }

    @Test
    void theRouteCountsWhenNoCoordinatorAnswers() throws CloudMwException {
        machine.silent("10.0.0.1");
        decides("10.9.9.9:7400,10.0.0.1:7400", "", "", "10.0.0.2:0", "10.0.0.2:7");
    }

    @Test
    void anAdvertisedAddressOfTheMachineIsListenedOn() throws CloudMwException {
        decides("10.0.0.1:7400", "", "192.168.7.9", "192.168.7.9:0", "192.168.7.9:7");
        decides("10.0.0.1:7400", "", "203.0.113.5", "10.0.0.2:0", "203.0.113.5:7");
        decides("10.0.0.1:7400", "", "outside.example", "10.0.0.2:0", "outside.example:7");
        machine.named("me", "127.0.1.1");
        decides("10.0.0.1:7400", "", "me", "10.0.0.2:0", "me:7");
        assertThat(new AddressPolicy.Decision(new HostPort("10.0.0.2", 0), "outside", 9).advertised(7))
                .hasToString("outside:9");
    }

    @Test
    void anAddressOfOneLinkIsRefused() {
        machine.reaches("fe80::1", "fe80::2");
        refuses("[fe80::1]:7400", "", "", "this address means nothing on other machines");
    }

    @Test
    void givenAddressesNeedNoCoordinatorButDefaultsDo() throws CloudMwException {
        decides("unknown.example:7400", "127.0.0.1:0", "", "127.0.0.1:0", "127.0.0.1:7");
        decides("unknown.example:7400", "10.0.0.2:0", "", "10.0.0.2:0", "10.0.0.2:7");
        assertThatThrownBy(() -> decide("unknown.example:7400", "", ""))
                .isInstanceOfSatisfying(
                        CloudMwException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.COORDINATOR_UNAVAILABLE))
                .hasMessageContaining("unknown.example");
    }

    @Test
    void coordinatorAcceptsAddressesThatOthersCanReach() {
        assertThatCode(() -> requireReachable("10.0.0.2:7", "10.0.0.2")).doesNotThrowAnyException();
        assertThatCode(() -> requireReachable("[fd00::2]:7", "10.0.0.2")).doesNotThrowAnyException();
        assertThatCode(() -> requireReachable("name:7", "10.0.0.2")).doesNotThrowAnyException();
        assertThatCode(() -> requireReachable("127.0.0.1:7", "127.0.0.1")).doesNotThrowAnyException();
        assertThatCode(() -> AddressPolicy.requireReachable("it", "127.0.0.1:7", Optional.empty(), "s"))
                .doesNotThrowAnyException();
    }

    @Test
    void coordinatorRefusesAddressesThatOthersCannotReach() {
        for (String address : List.of("127.0.0.1:7", "[::1]:7", "localhost:7", "0.0.0.0:7", "[::]:7", "10.0.0.2:0")) {
            assertThatThrownBy(() -> requireReachable(address, "10.0.0.2"))
                    .as(address)
                    .isInstanceOfSatisfying(
                            CloudMwException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT))
                    .hasMessageContainingAll("helper h", address, "10.0.0.2", "the.setting");
        }
        assertThatThrownBy(() -> requireReachable("0.0.0.0:7", "127.0.0.1")).hasMessageContaining("0.0.0.0:7");
        assertThatThrownBy(() -> requireReachable("nonsense", "127.0.0.1")).hasMessageContaining("no address");
    }

    private static void requireReachable(String advertised, String caller) throws CloudMwException {
        AddressPolicy.requireReachable("helper h", advertised, Optional.of(Machine.address(caller)), "the.setting");
    }

    @Test
    void theNetworkOfThisMachineKnowsTheWayToItself() throws IOException {
        HostNetwork network = HostNetwork.ofThisMachine();
        InetAddress loopback = network.resolve("127.0.0.1").get(0);
        assertThat(network.route(new InetSocketAddress(loopback, 7))).isEqualTo(loopback);
        assertThat(network.isOwn(loopback)).isTrue();
        assertThat(network.isOwn(Machine.address("203.0.113.5"))).isFalse();
    }
}
