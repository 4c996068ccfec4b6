/*
 * Where are packets dropped?
 *
 * Words:    packet drops, packet loss, lost packets, firewall, kfree_skb, discarded
 * Area:     network
 * Attaches: each packet that the kernel throws away
 * Cost:     medium – one firing and a stack for each; floods make many
 *
 * By the place in the kernel. Not each is a fault: what is sent to a port without a
 * listener is dropped too.
 */

sdt:::kfree_skb
{
	@drops[sym((uintptr_t)args[1]), stack(8)] = count();
}
