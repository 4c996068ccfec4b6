/* What the packets of pcap() begin with, as libpcap numbers it: DLT_... */

inline int PCAP_NULL = 0;	/* the address family */
inline int PCAP_ETHER = 1;	/* the Ethernet header */
inline int PCAP_PPP = 9;	/* the PPP header */
inline int PCAP_IP = 12;	/* the IP header, of version 4 or 6 */
inline int PCAP_WIFI = 105;	/* the 802.11 header */
inline int PCAP_IPOIB = 242;	/* the header of IP over InfiniBand */
