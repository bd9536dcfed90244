package io.cloudmw.core.address;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.nio.channels.DatagramChannel;
import java.util.List;

/** The sockets and interfaces of this machine. */
final class MachineNetwork implements HostNetwork {
    private static final int CONNECT_MILLIS = 1000;

    @Override
    public List<InetAddress> resolve(String host) throws UnknownHostException {
        return List.of(InetAddress.getAllByName(host));
    }

    @Override
    public InetAddress connect(InetSocketAddress remote) throws IOException {
        try (Socket socket = new Socket()) {
            socket.connect(remote, CONNECT_MILLIS);
            return socket.getLocalAddress();
        }
    }

    /**
     * The route by a connected datagram socket, which has the route's local address; the kernel sends nothing for it.
     */
    @Override
    public InetAddress route(InetSocketAddress remote) throws IOException {
        try (DatagramChannel channel = DatagramChannel.open()) {
            channel.connect(remote);
            return ((InetSocketAddress) channel.getLocalAddress()).getAddress();
        }
    }

    @Override
    public boolean isOwn(InetAddress address) {
        try {
            return NetworkInterface.getByInetAddress(address) != null;
        } catch (SocketException e) {
            return false;
        }
    }
}
